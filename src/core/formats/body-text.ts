/** The text of a body, and what is wrong with it by the schema of its endpoint. */

import { utf8Fault } from '#linkml/position.ts';
import { type Problem, ServiceError } from '../errors.ts';
import { problemsBy } from '../json-schema.ts';
import { parseJsonBody, withoutMark } from './json.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws ServiceError `body_malformed` for an empty body and for one that is not UTF-8 */
export function decodeBody(body: Uint8Array): string {
  if (body.length === 0) throw new ServiceError('body_malformed', 'The request has no body.');
  try {
    return utf8.decode(body);
  } catch {
    const { line, column, byte } = utf8Fault(body) ?? { line: 1, column: 1, byte: 'other bytes' };
    const message = `The body is not UTF-8: line ${line}, column ${column}: found the byte ${byte}. Send it as UTF-8.`;
    throw new ServiceError('body_malformed', message);
  }
}

/** Compares a body with a JSON Schema. @throws ServiceError `body_malformed` */
export function bodyProblems(bytes: Uint8Array, schema: object): Problem[] {
  // For a validator, a number in its own text would be an object, and takes longer.
  return problemsBy(schema, parseJsonBody(decodeBody(bytes), JSON.parse), ['body']);
}

/** The JSON in a body. @throws ServiceError `body_malformed` */
export function textOfBody(bytes: Uint8Array): string {
  return withoutMark(decodeBody(bytes));
}
