/**
 * YAML as the LinkML tools read it: YAML 1.1 with the scalars of PyYAML.
 *
 * `on`, `off`, `yes` and `no` are booleans, `y` and `n` are not; `1e3` is text, since a float needs a dot; `010` is
 * eight. Dates are texts. A number keeps its text ({@link Numeral}) where JavaScript would print it otherwise.
 */
import { type Document, isScalar, LineCounter, parseDocument, type ScalarTag, visit } from 'yaml';
import { ServiceError } from '../../errors.ts';
import { Numeral } from '../../json.ts';
import { pythonFloat, readPlainScalar } from '../../yaml/scalars.ts';

/** A YAML value: mappings have no prototype, and keys are text. */
export type YamlValue = null | boolean | number | Numeral | string | YamlValue[] | YamlMapping;
export type YamlMapping = { [key: string]: YamlValue };

/** Every scalar without quotes: what it means is decided by how it looks. */
const PLAIN: ScalarTag = {
  tag: 'tag:yaml.org,2002:plain',
  default: true,
  test: /^/,
  resolve: readPlainScalar,
};

/**
 * Reads a YAML document.
 *
 * @param place names the document in the message
 * @throws ServiceError `schema_invalid` with line and column
 */
export function parseYaml(text: string, place: string): YamlValue {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    schema: 'failsafe',
    customTags: (base) => [...base, PLAIN],
    merge: true,
    // The library compares every key with every other one; refuseDuplicates is linear.
    uniqueKeys: false,
    lineCounter: lines,
  });
  const error = document.errors[0];
  if (error)
    throw new ServiceError('schema_invalid', `${place} is not YAML: ${error.message.trim()}`, [], {
      cause: error,
    });
  refuseDuplicates(document, lines, place);
  try {
    return plain(document.toJS({ mapAsMap: true, maxAliasCount: 10_000 }));
  } catch (error) {
    throw new ServiceError('schema_invalid', `${place} can't be read: ${(error as Error).message}`, [], {
      cause: error,
    });
  }
}

function refuseDuplicates(document: Document, lines: LineCounter, place: string): void {
  visit(document, {
    Map(_key, map) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        if (!isScalar(key) || key.value === '<<') continue;
        const name = keyText(key.value);
        if (!seen.has(name)) seen.add(name);
        else {
          const { line, col } = lines.linePos(key.range?.[0] ?? 0);
          throw new ServiceError(
            'schema_invalid',
            `${place} is not YAML: the key ${name} is there twice in one mapping, at line ${line}, column ${col}.`,
          );
        }
      }
    },
  });
}

function plain(value: unknown): YamlValue {
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value as YamlValue;
  const mapping: YamlMapping = Object.create(null);
  for (const [key, member] of value) mapping[keyText(key)] = plain(member);
  return mapping;
}

/** A key as Python's `str` writes it: the key `on` is the boolean `True`. */
function keyText(key: unknown): string {
  if (key === true) return 'True';
  if (key === false) return 'False';
  if (key === null) return 'None';
  if (key instanceof Numeral)
    return /^-?\d+$/.test(key.source) ? key.source : pythonFloat(Number(key.source));
  return typeof key === 'object' ? JSON.stringify(key) : String(key);
}
