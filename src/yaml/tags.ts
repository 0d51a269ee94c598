/** Tags of YAML 1.1, and the scalars that they make. */
import { type JsonValue, Numeral } from '../json.ts';
import type { YamlOptions } from './mapping.ts';
import { looksLikeDate, readFloat, readPlainScalar } from './scalars.ts';

export const STANDARD = 'tag:yaml.org,2002:';

const SCALAR_TAGS: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  [`${STANDARD}null`]: (value) => value === null,
  [`${STANDARD}bool`]: (value) => typeof value === 'boolean',
  [`${STANDARD}int`]: (value) => typeof value === 'number' || value instanceof Numeral,
  [`${STANDARD}float`]: (value) => typeof value === 'number' || value instanceof Numeral,
  [`${STANDARD}timestamp`]: (value) => typeof value === 'string',
};

/** The prefixes of tags, by their handle in a document. */
export class TagHandles {
  readonly #prefixes = new Map([
    ['!', '!'],
    ['!!', STANDARD],
  ]);

  define(handle: string, prefix: string): void {
    this.#prefixes.set(handle, prefix);
  }

  /** A tag in full. */
  resolve(tag: string): string {
    if (tag.startsWith('!<')) return tag.slice(2, -1);
    const [, handle = '!', suffix = ''] = /^(![\w-]*!|!)(.*)$/.exec(tag)!;
    if (suffix === '') return '!';
    return (this.#prefixes.get(handle) ?? handle) + decodeURIComponent(suffix);
  }
}

/** The value of a scalar with or without a tag. @throws Error if it does not fit, or is a date and those are refused */
export function taggedScalar(text: string, tag: string | undefined, dates: YamlOptions['dates']): JsonValue {
  if (tag === `${STANDARD}str`) return text;
  if (tag === `${STANDARD}binary`) return text.replaceAll(/\s/g, '');
  if (dates === 'refuse' && looksLikeDate(text))
    throw new Error('found a date; put it in quotes to make it a string');
  const value = tag === `${STANDARD}float` ? readFloat(text) : readPlainScalar(text);
  if (tag !== undefined && tag !== '!' && !SCALAR_TAGS[tag]?.(value))
    throw new Error(`the value does not fit its tag ${tag}`);
  return value;
}
