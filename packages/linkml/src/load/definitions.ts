/**
 * Reads the parts of a LinkML definition out of a YAML mapping, in every form in which the metamodel lets them be written.
 *
 * Definitions stay plain mappings until they are induced: a metamodel element that the engine does not know is then
 * still there to be named (see `supported.ts`).
 */
import { Numeral } from '../json.ts';
import type { YamlMapping, YamlValue } from './yaml.ts';

/** A definition as a schema file writes it. */
export type Definition = YamlMapping;

export function isMapping(value: YamlValue | undefined): value is YamlMapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Numeral);
}

/** A scalar as text; undefined if there is none. */
export function yamlText(value: YamlValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (value instanceof Numeral) return value.source;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return typeof value === 'number' ? String(value) : undefined;
}

/** A boolean; undefined if it is absent. Strings are read as LinkML's `Bool` reads them. */
export function flagOf(value: YamlValue | undefined): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const text = yamlText(value);
  if (text === undefined) return undefined;
  return /^(?:[Tt]rue|1)$/.test(text) ? true : /^(?:[Ff]alse|0)$/.test(text) ? false : undefined;
}

/** A number of things; undefined if there is none. */
export function countOf(value: YamlValue | undefined): number | undefined {
  const count = Number(yamlText(value));
  return Number.isInteger(count) && count >= 0 ? count : undefined;
}

/** A list of texts; a single text is a list of one. */
export function textsOf(value: YamlValue | undefined): string[] {
  const members = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  return members
    .map((member) => (isMapping(member) ? Object.keys(member)[0] : yamlText(member)))
    .filter((text) => text !== undefined);
}

/** A list of mappings, such as `any_of` or `rules`. */
export function mappingsOf(value: YamlValue | undefined): Definition[] {
  if (isMapping(value)) return [value];
  return Array.isArray(value) ? value.filter(isMapping) : [];
}

/**
 * Definitions by name: a mapping from name to definition (or to nothing, or to the value of its `simple` element), or a
 * list of names or of definitions with a `keyed` element.
 */
export function namedOf(
  value: YamlValue | undefined,
  simple?: string,
  keyed = 'name',
): Map<string, Definition> {
  const result = new Map<string, Definition>();
  if (Array.isArray(value)) {
    for (const member of value) {
      if (!isMapping(member)) {
        const name = yamlText(member);
        if (name !== undefined) result.set(name, empty());
        continue;
      }
      const name = yamlText(member[keyed]);
      if (name !== undefined) result.set(name, member);
      else for (const [key, inner] of namedOf(member, simple)) result.set(key, inner);
    }
  } else if (isMapping(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (isMapping(member)) result.set(name, member);
      else if (simple !== undefined && member !== null) result.set(name, { ...empty(), [simple]: member });
      else result.set(name, empty());
    }
  }
  return result;
}

function empty(): Definition {
  return Object.create(null) as Definition;
}
