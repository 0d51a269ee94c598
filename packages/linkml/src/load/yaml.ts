/** Schema files: YAML as the LinkML tools read it (`yaml/read.ts`), with keys as Python's strings. */

import { sourceFault } from '../errors.ts';
import type { Faults } from '../faults.ts';
import { type JsonValue, Numeral } from '../json.ts';
import { readYaml, YamlError } from '../yaml/read.ts';

/** A YAML value. Mappings have no prototype: an element called `constructor` is one that the schema has. */
export type YamlValue = null | boolean | number | Numeral | string | YamlValue[] | YamlMapping;
export type YamlMapping = { [key: string]: YamlValue };

/**
 * Reads a YAML document.
 *
 * @param place names the document in messages
 * @param faults gets each key that a mapping has twice
 * @throws LinkmlError `schema_invalid` with line and column
 */
export function parseYaml(text: string, place: string, faults: Faults): YamlValue {
  const fault = ({ words, location }: YamlError) => sourceFault(place, words, location);
  try {
    const duplicateKeys = (error: YamlError) => faults.add(fault(error));
    return withoutPrototypes(readYaml(text, { duplicateKeys, otherKeys: 'python' }));
  } catch (error) {
    throw error instanceof YamlError ? fault(error) : error;
  }
}

/** Copies a value into mappings without a prototype, in which `constructor` is a key like others. */
export function withoutPrototypes(value: JsonValue): YamlValue {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (typeof value !== 'object' || value === null || value instanceof Numeral) return value;
  const mapping: YamlMapping = Object.create(null);
  for (const key of Object.keys(value)) mapping[key] = withoutPrototypes(value[key]!);
  return mapping;
}
