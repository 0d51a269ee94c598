/** Mappings of YAML: their keys, and what they merge from others. */

import { fixedText } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, Numeral, setMember } from '../json.ts';
import type { YamlOptions } from './options.ts';
import { pythonFloat } from './scalars.ts';
import type { YamlScanner } from './scan.ts';

/** The members of a mapping while it is read. */
export class MappingMembers {
  readonly #options: YamlOptions;
  readonly #scanner: YamlScanner;
  readonly #own: JsonObject = {};
  /** The mappings of `<<`: a later one overrides those before it. */
  readonly #merged: JsonObject[] = [];

  constructor(options: YamlOptions, scanner: YamlScanner) {
    this.#options = options;
    this.#scanner = scanner;
  }

  /** @param at where the key is */
  add(key: JsonValue, value: JsonValue, at: number): void {
    if (key === '<<' && this.#scanner.text.startsWith('<<', at)) {
      for (const source of this.#mergeSources(value, at).toReversed()) this.#merged.push(source);
      return;
    }
    const name = typeof key === 'string' ? key : this.#keyText(key, at);
    const { duplicateKeys = 'last' } = this.#options;
    if (duplicateKeys !== 'last' && Object.hasOwn(this.#own, name)) {
      const error = this.#scanner.refusal(
        fixedText('a key occurs twice in one mapping'),
        at,
        `the key ${name} occurs twice in one mapping`,
      );
      if (duplicateKeys === 'refuse') throw error;
      duplicateKeys(error);
    }
    setMember(this.#own, name, value);
  }

  object(): JsonObject {
    if (this.#merged.length === 0) return this.#own;
    // Once for all: a mapping that grows with each `<<` would be copied with each.
    return Object.fromEntries([...this.#merged, this.#own].flatMap((one) => Object.entries(one)));
  }

  #mergeSources(value: JsonValue, at: number): JsonObject[] {
    const sources = Array.isArray(value) ? value : [value];
    if (!sources.every(isJsonObject))
      throw this.#scanner.refusal(fixedText("expected a mapping after '<<'"), at);
    return sources;
  }

  #keyText(key: Exclude<JsonValue, string>, at: number): string {
    if (typeof key === 'object' && key !== null && !(key instanceof Numeral))
      throw this.#scanner.refusal(fixedText('a collection cannot be a key'), at);
    const { otherKeys = 'json' } = this.#options;
    if (otherKeys === 'refuse') {
      // The key itself is not repeated: it can be a secret.
      const found = key === null ? 'null' : typeof key === 'boolean' ? 'a boolean' : 'a number';
      throw this.#scanner.refusal(
        fixedText('expected a string as key; put the key in quotes'),
        at,
        `expected a string as key, found ${found}; put the key in quotes`,
      );
    }
    return otherKeys === 'python' ? pythonText(key) : key instanceof Numeral ? key.source : String(key);
  }
}

/** A scalar as Python's `str` writes it. */
function pythonText(key: null | boolean | number | Numeral): string {
  if (key === null) return 'None';
  if (typeof key === 'boolean') return key ? 'True' : 'False';
  const source = key instanceof Numeral ? key.source : String(key);
  return /^-?\d+$/.test(source) ? source : pythonFloat(Number(source));
}
