/** Reads YAML, whoever wrote it, with the meaning that PyYAML's `safe_load` gives it. */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseAllDocuments,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue, Numeral } from '../json.ts';
import { ODD_BREAK, readDumped, unfolded } from './read-dumped.ts';
import { readPlainScalar } from './scalars.ts';

/** A text that can't be read as one JSON value; the message is a sentence for a person. */
export class YamlError extends Error {}

/** More values than this can only come from aliases of aliases. */
const MOST_VALUES = 1_000_000;

/**
 * The value in a YAML text. Scalars without quotes become numbers, booleans and null as YAML 1.1 says.
 *
 * @throws YamlError
 */
export function readYaml(text: string): JsonValue {
  return readDumped(text) ?? readAnyYaml(text);
}

/** The same, for every text: slower than what dumps need. */
export function readAnyYaml(text: string): JsonValue {
  const documents = parseAllDocuments(withoutOddBreaks(text.replace(/^\ufeff/, '')), {
    version: '1.1',
    schema: 'failsafe',
    uniqueKeys: false,
    logLevel: 'silent',
  });
  if (!Array.isArray(documents) || documents.length === 0) return null;
  if (documents.length > 1) throw new YamlError('the file holds more than one document');
  const document = documents[0]!;
  const [error] = document.errors;
  if (error) throw new YamlError(`the file is no YAML: ${error.message.split('\n')[0]}`);
  const reading = { document, values: 0 };
  try {
    return nodeValue(document.contents, reading);
  } catch (problem) {
    if (problem instanceof YamlError) throw problem;
    throw new YamlError((problem as Error).message);
  }
}

type Reading = { readonly document: Document; values: number };

function nodeValue(node: unknown, reading: Reading): JsonValue {
  reading.values += 1;
  if (reading.values > MOST_VALUES) throw new YamlError('the file refers to itself too often');
  if (node === null || node === undefined) return null;
  if (isAlias(node)) return aliasValue(node, reading);
  if (isScalar(node)) return scalarValue(node);
  const tag = (node as Node).tag;
  if (isMap(node)) {
    expectTag(tag, 'map');
    return mapValue(node, reading);
  }
  if (isSeq(node)) {
    expectTag(tag, 'seq');
    return node.items.map((item) => nodeValue(item, reading));
  }
  throw new YamlError('the file holds something that JSON does not know');
}

function aliasValue(alias: Alias, reading: Reading): JsonValue {
  const node = alias.resolve(reading.document);
  if (node === undefined)
    throw new YamlError(`the file has no '&${alias.source}' before its '*${alias.source}'`);
  return nodeValue(node, reading);
}

function mapValue(map: YAMLMap, reading: Reading): JsonObject {
  const own: [string, JsonValue][] = [];
  let merged: JsonObject = {};
  for (const { key, value } of map.items) {
    if (isScalar(key) && key.type === 'PLAIN' && key.value === '<<') {
      for (const source of mergeSources(value, reading)) merged = { ...source, ...merged };
    } else {
      own.push([keyText(nodeValue(key, reading)), nodeValue(value, reading)]);
    }
  }
  return Object.fromEntries([...Object.entries(merged), ...own]);
}

function mergeSources(node: unknown, reading: Reading): JsonObject[] {
  const value = nodeValue(node, reading);
  const sources = Array.isArray(value) ? value : [value];
  if (!sources.every(isJsonObject)) throw new YamlError("what stands behind '<<' is no mapping");
  return sources;
}

function keyText(key: JsonValue): string {
  if (typeof key === 'string') return key;
  if (key === null || typeof key === 'boolean' || typeof key === 'number') return String(key);
  if (key instanceof Numeral) return key.source;
  throw new YamlError('a collection cannot be a key');
}

const STANDARD = 'tag:yaml.org,2002:';

function scalarValue(node: Scalar): JsonValue {
  const text = String(node.value ?? '');
  const tag = node.tag;
  if (tag === undefined) return node.type === 'PLAIN' ? readPlainScalar(text) : text;
  if (tag === `${STANDARD}str` || tag === '!') return text;
  if (tag === `${STANDARD}binary`) return text.replaceAll(/\s/g, '');
  const value = readPlainScalar(text);
  const kind = SCALAR_TAGS[tag];
  if (!kind?.(value)) throw new YamlError(`'${text}' is not what its tag '${tag}' says`);
  return value;
}

const SCALAR_TAGS: Readonly<Record<string, (value: JsonValue) => boolean>> = {
  [`${STANDARD}null`]: (value) => value === null,
  [`${STANDARD}bool`]: (value) => typeof value === 'boolean',
  [`${STANDARD}int`]: (value) => typeof value === 'number' || value instanceof Numeral,
  [`${STANDARD}float`]: (value) => typeof value === 'number' || value instanceof Numeral,
  [`${STANDARD}timestamp`]: (value) => typeof value === 'string',
};

function expectTag(tag: string | undefined, kind: 'map' | 'seq'): void {
  if (tag !== undefined && tag !== `${STANDARD}${kind}`) {
    throw new YamlError(`the file holds something with the tag '${tag}', which JSON does not know`);
  }
}

/** A text in single quotes where one can begin. */
const SINGLE_QUOTED = /((?:^|[-?:] ) *)'((?:[^']|'')*)'(?=:? *$|: )/gm;

/**
 * Rewrites texts in single quotes that hold odd breaks: they break lines in YAML 1.1, but the parser knows them as
 * YAML 1.2 does, where they are letters.
 */
function withoutOddBreaks(text: string): string {
  if (!ODD_BREAK.test(text)) return text;
  return text.replace(SINGLE_QUOTED, (whole, lead: string, body: string) =>
    ODD_BREAK.test(body) ? lead + JSON.stringify(unfolded(body)) : whole,
  );
}
