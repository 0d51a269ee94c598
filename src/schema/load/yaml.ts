/** Schema files: YAML as the LinkML tools read it (`yaml/read.ts`), with keys as Python's strings. */
import { LinkmlError } from '../../errors.ts';
import { type JsonValue, Numeral } from '../../json.ts';
import { readYaml, YamlError } from '../../yaml/read.ts';

/** A YAML value. Mappings have no prototype: an element called `constructor` is one that the schema has. */
export type YamlValue = null | boolean | number | Numeral | string | YamlValue[] | YamlMapping;
export type YamlMapping = { [key: string]: YamlValue };

/**
 * Reads a YAML document. A key that a mapping has twice is an error.
 *
 * @param place names the document in messages
 * @throws LinkmlError `schema_invalid` with line and column
 */
export function parseYaml(text: string, place: string): YamlValue {
  try {
    return withoutPrototypes(readYaml(text, { duplicateKeys: 'refuse', otherKeys: 'python' }));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new LinkmlError(
      'schema_invalid',
      `${place}: ${withoutQuotes(error.message)}.`.replace(/\.\.$/, '.'),
      [],
      {
        cause: error,
      },
    );
  }
}

/** The administrator who names a file may not be allowed to read it, so the message has positions, and nothing of the content. */
function withoutQuotes(message: string): string {
  return message
    .replace(/(:\s*)?"(?:[^"\\]|\\.)*"?/g, '')
    .replace(/: the key .* occurs/, ': a key occurs')
    .replace(/\b(the|its) tag \S+/g, '$1 tag');
}

/** The same value in mappings without a prototype. */
export function withoutPrototypes(value: JsonValue): YamlValue {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (typeof value !== 'object' || value === null || value instanceof Numeral) return value;
  const mapping: YamlMapping = Object.create(null);
  for (const key of Object.keys(value)) mapping[key] = withoutPrototypes(value[key]!);
  return mapping;
}
