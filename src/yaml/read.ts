/**
 * Reads YAML as PyYAML's `safe_load` does. All YAML of the service is read here: records,
 * schemas, configuration files and the descriptions of record directories.
 */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue, Numeral } from '../json.ts';
import { explainSyntax } from './explain.ts';
import { ODD_BREAK, readDumped, unfolded, type YamlOptions } from './read-dumped.ts';
import { looksLikeDate, pythonFloat, readPlainScalar } from './scalars.ts';

/** A YAML document that cannot be read as one JSON value; the message is a sentence for a person. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
}

export type { YamlOptions } from './read-dumped.ts';

/** More values than this can only come from aliases of aliases. */
const MOST_VALUES = 1_000_000;

/**
 * The value of a YAML document. Scalars without quotes become numbers, booleans and null as in YAML 1.1.
 *
 * @throws YamlError
 */
export function readYaml(text: string, options: YamlOptions = {}): JsonValue {
  return readDumped(text, options) ?? readAnyYaml(text, options);
}

/** The same for any document; slower than what dumps need. */
export function readAnyYaml(text: string, options: YamlOptions = {}): JsonValue {
  const lines = new LineCounter();
  const documents = parseAllDocuments(withoutOddBreaks(text.replace(/^\ufeff/, '')), {
    version: '1.1',
    schema: 'failsafe',
    // The library compares every key with every other one; mapValue is linear.
    uniqueKeys: false,
    logLevel: 'silent',
    lineCounter: lines,
  });
  if (!Array.isArray(documents) || documents.length === 0) return null;
  if (documents.length > 1) throw new YamlError('expected one YAML document, found several');
  const document = documents[0]!;
  const [error] = document.errors;
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new YamlError(`line ${line}, column ${col}: not valid YAML: ${explainSyntax(error)}`);
  }
  const reading = { document, options, lines, values: 0 };
  try {
    return nodeValue(document.contents, reading);
  } catch (problem) {
    if (problem instanceof YamlError) throw problem;
    // Aliases within their own anchor, or brackets in brackets: deeper than any document that people write.
    if (problem instanceof RangeError) throw new YamlError('the values are nested too deeply');
    throw new YamlError((problem as Error).message);
  }
}

type YamlReading = {
  readonly document: Document;
  readonly options: YamlOptions;
  readonly lines: LineCounter;
  values: number;
};

/** Where a node begins, for messages. */
function linePosition(node: unknown, { lines }: YamlReading): string {
  const { line, col } = lines.linePos((node as Node | null)?.range?.[0] ?? 0);
  return `line ${line}, column ${col}`;
}

function nodeValue(node: unknown, reading: YamlReading): JsonValue {
  reading.values += 1;
  if (reading.values > MOST_VALUES) throw new YamlError('aliases expand to more than a million values');
  if (node === null || node === undefined) return null;
  if (isAlias(node)) return aliasValue(node, reading);
  if (isScalar(node)) return scalarValue(node, reading);
  const tag = (node as Node).tag;
  if (isMap(node)) {
    expectTag(tag, 'map', node, reading);
    return mapValue(node, reading);
  }
  if (isSeq(node)) {
    expectTag(tag, 'seq', node, reading);
    return node.items.map((item) => nodeValue(item, reading));
  }
  throw new YamlError(`${linePosition(node, reading)}: found a value that JSON does not have`);
}

function aliasValue(alias: Alias, reading: YamlReading): JsonValue {
  const node = alias.resolve(reading.document);
  if (node === undefined)
    throw new YamlError(`${linePosition(alias, reading)}: found an alias without an anchor before it`);
  return nodeValue(node, reading);
}

function mapValue(map: YAMLMap, reading: YamlReading): JsonObject {
  const own = new Map<string, JsonValue>();
  const refuse = reading.options.duplicateKeys === 'refuse';
  let merged: JsonObject = {};
  for (const { key, value } of map.items) {
    if (isScalar(key) && key.type === 'PLAIN' && key.value === '<<') {
      for (const source of mergeSources(value, reading)) merged = { ...source, ...merged };
    } else {
      const name = mappingKey(key, reading);
      if (refuse && own.has(name))
        throw new YamlError(`${linePosition(key, reading)}: the key ${name} occurs twice in one mapping`);
      own.set(name, nodeValue(value, reading));
    }
  }
  return Object.fromEntries([...Object.entries(merged), ...own]);
}

function mergeSources(node: unknown, reading: YamlReading): JsonObject[] {
  const value = nodeValue(node, reading);
  const sources = Array.isArray(value) ? value : [value];
  if (!sources.every(isJsonObject))
    throw new YamlError(`${linePosition(node, reading)}: expected a mapping after '<<'`);
  return sources;
}

function mappingKey(node: unknown, reading: YamlReading): string {
  const key = nodeValue(node, reading);
  if (typeof key === 'string') return key;
  if (typeof key === 'object' && key !== null && !(key instanceof Numeral))
    throw new YamlError(`${linePosition(node, reading)}: a collection cannot be a key`);
  const { otherKeys = 'json' } = reading.options;
  if (otherKeys === 'refuse') {
    // The key itself is not repeated: it can be a secret.
    const found = key === null ? 'null' : typeof key === 'boolean' ? 'a boolean' : 'a number';
    throw new YamlError(
      `${linePosition(node, reading)}: expected a string as key, found ${found}; put the key in quotes`,
    );
  }
  return otherKeys === 'python' ? pythonText(key) : key instanceof Numeral ? key.source : String(key);
}

/** A scalar as Python's `str` writes it. */
function pythonText(key: null | boolean | number | Numeral): string {
  if (key === null) return 'None';
  if (typeof key === 'boolean') return key ? 'True' : 'False';
  const source = key instanceof Numeral ? key.source : String(key);
  return /^-?\d+$/.test(source) ? source : pythonFloat(Number(source));
}

const STANDARD = 'tag:yaml.org,2002:';

function scalarValue(node: Scalar, reading: YamlReading): JsonValue {
  const text = String(node.value ?? '');
  const tag = node.tag;
  if (tag === undefined) return node.type === 'PLAIN' ? plainValue(text, node, reading) : text;
  if (tag === `${STANDARD}str` || tag === '!') return text;
  if (tag === `${STANDARD}binary`) return text.replaceAll(/\s/g, '');
  const value = plainValue(text, node, reading);
  const kind = SCALAR_TAGS[tag];
  if (!kind?.(value))
    throw new YamlError(`${linePosition(node, reading)}: the value does not fit its tag ${tag}`);
  return value;
}

function plainValue(text: string, node: Scalar, reading: YamlReading): JsonValue {
  if (reading.options.dates === 'refuse' && looksLikeDate(text))
    throw new YamlError(`${linePosition(node, reading)}: found a date; put it in quotes to make it a string`);
  try {
    return readPlainScalar(text);
  } catch (error) {
    throw new YamlError(`${linePosition(node, reading)}: ${(error as Error).message}`);
  }
}

const SCALAR_TAGS: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  [`${STANDARD}null`]: (value) => value === null,
  [`${STANDARD}bool`]: (value) => typeof value === 'boolean',
  [`${STANDARD}int`]: (value) => typeof value === 'number' || value instanceof Numeral,
  [`${STANDARD}float`]: (value) => typeof value === 'number' || value instanceof Numeral,
  [`${STANDARD}timestamp`]: (value) => typeof value === 'string',
};

function expectTag(tag: string | undefined, kind: 'map' | 'seq', node: unknown, reading: YamlReading): void {
  if (tag !== undefined && tag !== `${STANDARD}${kind}`)
    throw new YamlError(`${linePosition(node, reading)}: found the tag ${tag}, which is not supported`);
}

/** A string in single quotes at a position where one can start. */
const SINGLE_QUOTED = /((?:^|[-?:] ) *)'((?:[^']|'')*)'(?=:? *$|: )/gm;

/**
 * Rewrites texts in single quotes that hold odd breaks: they break lines in YAML 1.1, but the parser knows them as
 * YAML 1.2 does, in which they are letters.
 */
function withoutOddBreaks(text: string): string {
  if (!ODD_BREAK.test(text)) return text;
  return text.replace(SINGLE_QUOTED, (whole, lead: string, body: string) =>
    ODD_BREAK.test(body) ? lead + JSON.stringify(unfolded(body)) : whole,
  );
}
