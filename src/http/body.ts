/** Bodies of requests as handlers read them, after it is known who asks: text in the expected encoding and type. */
import { ServiceError } from '../errors.ts';
import { decodeBody } from '../formats/body-text.ts';
import type { FormatName } from '../formats/format.ts';
import { parseJsonBody } from '../formats/json.ts';
import type { JsonValue } from '../json.ts';
import type { Call } from './endpoint.ts';

/** The body of a request as it was sent. */
export function bodyBytes({ service, endpoint, request, reply }: Call): Promise<Buffer<ArrayBuffer>> {
  const limit = typeof endpoint.body === 'object' ? endpoint.body.limit : undefined;
  return service.bodies.read(request, reply, limit);
}

/** The body of a request as text. @throws ServiceError `body_malformed` for an empty one and for one that is not UTF-8 */
export async function bodyText(call: Call): Promise<string> {
  return decodeBody(await bodyBytes(call));
}

/** The body of a request as JSON. @throws ServiceError `body_malformed` */
export async function jsonBody(call: Call): Promise<JsonValue> {
  return parseJsonBody(await bodyText(call));
}

/**
 * Compares `Content-Type` with the query parameter `format`: a JSON body has to be labeled as JSON, and a Turtle body
 * may be labeled as anything else.
 *
 * @throws ServiceError `body_malformed`
 */
export function checkContentType(contentType: string | undefined, format: FormatName): void {
  if (isJson(contentType) === (format === 'json')) return;
  const found = contentType === undefined ? 'no Content-Type' : `the Content-Type '${contentType}'`;
  throw bodyMalformed(
    format === 'json'
      ? `The request has ${found}, expected application/json (for Turtle, add ?format=ttl).`
      : `The request has ${found}, expected text/turtle.`,
  );
}

/** `application/json` and `application/*+json`. */
function isJson(contentType: string | undefined): boolean {
  return /^\s*application\/([\w.!#$&^-]+\+)?json\s*(;|$)/i.test(contentType ?? '');
}

function bodyMalformed(message: string): ServiceError {
  return new ServiceError('body_malformed', message);
}
