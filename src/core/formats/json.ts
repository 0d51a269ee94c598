/** Records as JSON: the form in which they are stored, so that writing one is to pass its text on. */

import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  parseUniqueJson,
  RepeatedKeyError,
} from '#linkml/json.ts';
import { positionAt } from '#linkml/position.ts';
import { isServiceError, ServiceError } from '../errors.ts';
import type { RecordFormat } from './record-format.ts';

export const jsonFormat = {
  title: 'JSON',
  mediaType: 'application/json',
  streamType: 'application/x-ndjson',
  isJson: true,
  mostListed: 1200,
  parse: parseJsonObject,
  serialize: (json) => json,
  note: (reason) => JSON.stringify({ reason }),
} satisfies RecordFormat;

/**
 * Reads a body that must be one JSON object.
 *
 * @throws ServiceError `body_malformed`, with line and column if the text is not JSON
 */
export function parseJsonObject(body: string): JsonObject {
  const value = parseJsonBody(body);
  if (isJsonObject(value)) return value;
  throw jsonMalformed(`The body must be one JSON object, found ${jsonKind(value)}.`, 'object_expected');
}

/**
 * Reads a body of any JSON. A byte order mark in front is skipped. No object may have a key twice, as in YAML.
 *
 * @param parse how numbers are read
 * @param isLine whether it is one line of NDJSON, whose number the response has
 * @throws ServiceError `body_malformed`, with line and column if the text is not JSON, or has a key twice
 */
export function parseJsonBody(
  body: string,
  parse: (text: string) => JsonValue = parseJson,
  isLine = false,
): JsonValue {
  const text = withoutMark(body);
  if (mayBeDeep(text)) refuseFault(text, isLine);
  try {
    return parseUniqueJson(text, parse);
  } catch (error) {
    if (error instanceof RepeatedKeyError) throw keyRepeated(error, text, isLine);
    refuseFault(text, isLine);
    throw jsonMalformed(`The body is not JSON: ${error instanceof Error ? error.message : error}.`);
  }
}

export function withoutMark(body: string): string {
  return body.startsWith('\ufeff') ? body.slice(1) : body;
}

/** Whether a string has enough opening brackets to be nested too deeply: a cheap test before the thorough one. */
function mayBeDeep(text: string): boolean {
  let brackets = 0;
  for (const bracket of ['[', '{']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (++brackets > MAX_JSON_DEPTH) return true;
    }
  }
  return false;
}

/** Throws for the first fault of the text, if there is one. */
function refuseFault(text: string, isLine: boolean): void {
  if (text.trim() === '') throw jsonMalformed('The body is empty, expected JSON.', 'missing');
  const fault = findJsonFault(text);
  if (fault === undefined) return;
  const { line, column } = positionAt(text, fault.offset);
  const what = isLine
    ? `The line is not JSON: column ${column}`
    : `The body is not JSON: line ${line}, column ${column}`;
  throw jsonMalformed(`${what}: ${fault.reason}.`);
}

/** The type of the problem of JSON that has a key twice. */
const KEY_REPEATED = 'json_key_repeated';

/** Whether an error is about a key that an object has twice. */
export function isKeyRepeated(error: unknown): boolean {
  return isServiceError(error) && error.problems[0]?.type === KEY_REPEATED;
}

function keyRepeated({ message, offset = 0 }: RepeatedKeyError, text: string, isLine: boolean): ServiceError {
  const { line, column } = positionAt(text, offset);
  const where = isLine ? `The line, column ${column}` : `The body, line ${line}, column ${column}`;
  return jsonMalformed(`${where}: ${message}. Remove one of them.`, KEY_REPEATED);
}

function jsonMalformed(message: string, type = 'json_invalid'): ServiceError {
  return new ServiceError('body_malformed', message, [{ type, loc: [], msg: message }]);
}

function jsonKind(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? 'a string' : typeof value === 'boolean' ? 'a boolean' : 'a number';
}

/** A syntax error, and its offset in UTF-16 units. */
type JsonFault = { readonly offset: number; readonly reason: string };

/** How deep objects and lists may be nested in a body. Records are a few levels deep; a thousand is an attack. */
const MAX_JSON_DEPTH = 500;

const BLANKS = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const NUMBER_OR_WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/y;

/** The tokens that may come next. */
type Expectation =
  | 'value'
  | 'first item'
  | 'first key'
  | 'key'
  | 'colon'
  | 'comma or end'
  | 'end of the text';

const IN_WORDS: Record<Expectation, string> = {
  value: 'a value',
  'first item': 'a value or "]"',
  'first key': 'a key in double quotes or "}"',
  key: 'a key in double quotes',
  colon: '":"',
  'comma or end': '"," or the closing bracket',
  'end of the text': 'the end of the text',
};

/** The first syntax error of a string; undefined for JSON that is nested no deeper than {@link MAX_JSON_DEPTH}. */
export function findJsonFault(text: string): JsonFault | undefined {
  /** The brackets that are open. */
  const open: ('{' | '[')[] = [];
  let expected: Expectation = 'value';
  let at = 0;
  for (;;) {
    at = endOf(BLANKS, text, at) ?? at;
    const character = text[at];
    if (expected === 'end of the text') return at === text.length ? undefined : jsonFault(text, at, expected);
    const inObject = open.at(-1) === '{';
    if (expected === 'comma or end' || expected === 'first item' || expected === 'first key') {
      if (character === (inObject ? '}' : ']')) {
        open.pop();
        at++;
        expected = open.length === 0 ? 'end of the text' : 'comma or end';
        continue;
      }
    }
    if (expected === 'comma or end' || expected === 'colon') {
      if (character !== (expected === 'colon' ? ':' : ',')) return jsonFault(text, at, expected);
      at++;
      expected = expected === 'comma or end' && inObject ? 'key' : 'value';
      continue;
    }
    const isKey: boolean = expected === 'key' || expected === 'first key';
    if (!isKey && (character === '{' || character === '[')) {
      if (open.push(character) > MAX_JSON_DEPTH) {
        return { offset: at, reason: `nested deeper than ${MAX_JSON_DEPTH} levels` };
      }
      at++;
      expected = character === '{' ? 'first key' : 'first item';
      continue;
    }
    if (isKey && character !== '"') return jsonFault(text, at, expected);
    const end = character === '"' ? stringEnd(text, at) : endOf(NUMBER_OR_WORD, text, at);
    if (end === undefined) return jsonFault(text, at, expected);
    at = end;
    expected = isKey ? 'colon' : open.length === 0 ? 'end of the text' : 'comma or end';
  }
}

/** The end of a match of a sticky pattern; undefined without a match. */
function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** The end of the string that starts at an offset. A loop, since one pattern for all of it overflows on megabytes. */
function stringEnd(text: string, start: number): number | undefined {
  for (let at = start + 1; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return at + 1;
    if (code < 0x20) return undefined;
    const next = code === 0x5c ? endOf(ESCAPE, text, at) : at + 1;
    if (next === undefined) return undefined;
    at = next;
  }
  return undefined;
}

function jsonFault(text: string, offset: number, expected: Expectation): JsonFault {
  const code = text.codePointAt(offset);
  if (
    code === 0x22 &&
    expected !== 'comma or end' &&
    expected !== 'colon' &&
    expected !== 'end of the text'
  ) {
    return {
      offset,
      reason: 'a string that is not closed, or holds a bare control character or an unknown escape',
    };
  }
  const found = code === undefined ? 'the end of the text' : JSON.stringify(String.fromCodePoint(code));
  const isAfterComma = (found === '"}"' || found === '"]"') && text.slice(0, offset).trimEnd().endsWith(',');
  const hint = isAfterComma ? '; remove the comma before it' : '';
  return { offset, reason: `expected ${IN_WORDS[expected]}, found ${found}${hint}` };
}
