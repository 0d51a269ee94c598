/** JSON bodies and the schemas of their endpoints; for short ones here, for long ones in threads. */
import type { Problem } from '../errors.ts';
import { problemsBy } from '../json-schema.ts';
import { decodeBody } from './body-text.ts';
import { parseJsonBody } from './json.ts';

/** Compares a body with a JSON Schema. @throws ServiceError `body_malformed` */
export function bodyProblems(bytes: Uint8Array, schema: object): Problem[] {
  // For a validator, a number in its own text would be an object, and takes longer.
  return problemsBy(schema, parseJsonBody(decodeBody(bytes), JSON.parse), ['body']);
}
