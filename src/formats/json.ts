/** Records as JSON: the form in which they are stored, so that writing one is to pass its text on. */
import { ServiceError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../json.ts';
import { decodeBody } from './body-text.ts';
import type { RecordFormat } from './format.ts';
import { findJsonFault, MAX_JSON_DEPTH } from './json-fault.ts';
import { positionAt } from './position.ts';

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
 * Reads a body of any JSON. A byte order mark in front is skipped.
 *
 * @param parse how numbers are read
 * @throws ServiceError `body_malformed`, with line and column if the text is not JSON
 */
export function parseJsonBody(body: string, parse: (text: string) => JsonValue = parseJson): JsonValue {
  const text = withoutMark(body);
  if (mayBeDeep(text)) refuseFault(text);
  try {
    return parse(text);
  } catch (error) {
    refuseFault(text);
    throw jsonMalformed(`The body is not JSON: ${error instanceof Error ? error.message : error}.`);
  }
}

/** The JSON in a body. @throws ServiceError `body_malformed` */
export function textOfBody(bytes: Uint8Array): string {
  return withoutMark(decodeBody(bytes));
}

function withoutMark(body: string): string {
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
function refuseFault(text: string): void {
  if (text.trim() === '') throw jsonMalformed('The body is empty, expected JSON.', 'missing');
  const fault = findJsonFault(text);
  if (fault === undefined) return;
  const { line, column } = positionAt(text, fault.offset);
  throw jsonMalformed(`The body is not JSON: line ${line}, column ${column}: ${fault.reason}.`);
}

function jsonMalformed(message: string, type = 'json_invalid'): ServiceError {
  return new ServiceError('body_malformed', message, [{ type, loc: [], msg: message }]);
}

function jsonKind(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? 'a string' : typeof value === 'boolean' ? 'a boolean' : 'a number';
}
