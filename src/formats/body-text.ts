/** The text of a body, and what is wrong with it by the schema of its endpoint. */
import { type Problem, ServiceError } from '../errors.ts';
import { problemsBy } from '../json-schema.ts';
import { parseJsonBody } from './json.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws ServiceError `body_malformed` for an empty body and for one that is not UTF-8 */
export function decodeBody(body: Uint8Array): string {
  if (body.length === 0) throw new ServiceError('body_malformed', 'The request has no body.');
  try {
    return utf8.decode(body);
  } catch {
    throw new ServiceError('body_malformed', 'The body is not UTF-8.');
  }
}

/** Compares a body with a JSON Schema. @throws ServiceError `body_malformed` */
export function bodyProblems(bytes: Uint8Array, schema: object): Problem[] {
  // For a validator, a number in its own text would be an object, and takes longer.
  return problemsBy(schema, parseJsonBody(decodeBody(bytes), JSON.parse), ['body']);
}
