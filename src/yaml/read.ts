/** YAML text as JSON values, with the meaning that PyYAML's safe loader gives to it (YAML 1.1). */
import { type Document, isAlias, isMap, isScalar, isSeq, parseDocument, Scalar } from 'yaml';
import type { JsonObject, JsonValue } from '../json.ts';
import { readPlain } from './scalars.ts';

/** A YAML text that can't be read; `line` counts from 1, where it is known. */
export class YamlSyntaxError extends Error {
  readonly line: number | undefined;

  constructor(message: string, line?: number) {
    super(message);
    this.name = 'YamlSyntaxError';
    this.line = line;
  }
}

/**
 * Reads one document. Scalars without quotes become numbers, booleans and null as YAML 1.1 says; dates stay texts.
 *
 * @throws YamlSyntaxError
 */
export function readYaml(text: string): JsonValue {
  const document = parseDocument(ODD_BREAK.test(text) ? withoutOddBreaks(text) : text, {
    schema: 'failsafe',
    version: '1.1',
    prettyErrors: false,
    logLevel: 'error',
  });
  const [error] = document.errors;
  if (error) throw new YamlSyntaxError(error.message, text.slice(0, error.pos[0]).split('\n').length);
  return jsonOf(document.contents, document);
}

function jsonOf(node: unknown, document: Document.Parsed): JsonValue {
  if (isScalar(node)) return scalarValue(node);
  if (isSeq(node)) return node.items.map((item) => jsonOf(item, document));
  if (isAlias(node)) return jsonOf(node.resolve(document), document);
  if (!isMap(node)) return null;
  const object: JsonObject = {};
  for (const pair of node.items) define(object, keyOf(pair.key), jsonOf(pair.value, document));
  return object;
}

function scalarValue(node: Scalar): JsonValue {
  return node.type === Scalar.PLAIN ? readPlain(textOf(node)) : textOf(node);
}

function textOf(node: Scalar): string {
  return String(node.value ?? '');
}

/** Keys are texts, whatever they look like: a record has no others. */
function keyOf(node: unknown): string {
  if (isScalar(node)) return textOf(node);
  throw new YamlSyntaxError('a mapping has a key that is not a text');
}

/** `__proto__` is a key like any other. */
function define(object: JsonObject, key: string, value: JsonValue): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** In YAML 1.1 these break lines as a newline does; the parser knows them as YAML 1.2 does, where they are letters. */
const ODD_BREAK = /[\x85\u2028\u2029]/;
/** A text in single quotes where one can begin, and the line breaks within it. */
const SINGLE_QUOTED = /((?:^|[-?:] ) *)'((?:[^']|'')*)'(?=:? *$|: )/gm;
const FOLDED_BREAKS = / *(?:[\n\x85\u2028\u2029] *)+/g;

/** Rewrites texts in single quotes, the only ones in which such breaks stand as they are, so that no line is broken. */
function withoutOddBreaks(text: string): string {
  return text.replace(SINGLE_QUOTED, (_whole, lead: string, body: string) => {
    const unfolded = body.replaceAll("''", "'").replace(FOLDED_BREAKS, (run) => {
      if (/^ +$/.test(run)) return run;
      const breaks = run.replaceAll(' ', '');
      if (!breaks.startsWith('\n')) return breaks;
      return breaks.length === 1 ? ' ' : breaks.slice(1);
    });
    return lead + JSON.stringify(unfolded);
  });
}
