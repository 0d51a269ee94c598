/** Bodies of requests: text in the encoding and of the kind that the route expects. */
import { ServiceError } from '../errors.ts';
import type { FormatName } from '../formats/format.ts';
import { parseJsonBody } from '../formats/json.ts';
import type { JsonValue } from '../json.ts';

/** A request body may have this many bytes. */
export const BODY_LIMIT = 10 * 1024 * 1024;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws ServiceError `body_malformed` for an empty body and for one that is not UTF-8 */
export function bodyText(body: unknown): string {
  if (!Buffer.isBuffer(body) || body.length === 0) throw malformed('The request has no body.');
  try {
    return utf8.decode(body);
  } catch {
    throw malformed('The body is not UTF-8 text.');
  }
}

/** The body as JSON. @throws ServiceError `body_malformed` */
export function jsonBody(body: unknown): JsonValue {
  return parseJsonBody(bodyText(body));
}

/**
 * Holds `Content-Type` against the query parameter `format`: a JSON body has to say that it is one, and a Turtle body
 * may say anything else.
 *
 * @throws ServiceError `body_malformed`
 */
export function checkContentType(contentType: string | undefined, format: FormatName): void {
  if (isJson(contentType) === (format === 'json')) return;
  const found = contentType === undefined ? 'no Content-Type' : `the Content-Type '${contentType}'`;
  throw malformed(
    format === 'json'
      ? `The request has ${found}, expected application/json (for Turtle, add ?format=ttl).`
      : `The request has ${found}, expected text/turtle.`,
  );
}

/** `application/json` and `application/*+json`. */
function isJson(contentType: string | undefined): boolean {
  return /^\s*application\/([\w.!#$&^-]+\+)?json\s*(;|$)/i.test(contentType ?? '');
}

function malformed(message: string): ServiceError {
  return new ServiceError('body_malformed', message);
}
