/** Bodies of requests as handlers read them, after it is known who asks: text in the expected encoding and type. */

import { type JsonValue, parseJson } from '#linkml/json.ts';
import { TIMEOUT } from '../durations.ts';
import { ServiceError } from '../errors.ts';
import { decodeBody, textOfBody } from '../formats/body-text.ts';
import { FORMATS, type FormatName } from '../formats/formats.ts';
import { parseJsonBody } from '../formats/json.ts';
import { refusal } from '../json-schema.ts';
import { runIfLong } from '../work/pool.ts';
import { bodyProblemsIn } from '../work/tasks.ts';
import type { Call, Endpoint } from './endpoint.ts';

/** The body of a request as it was sent. */
export async function bodyBytes({ service, endpoint, request, reply }: Call): Promise<Buffer<ArrayBuffer>> {
  const limit = typeof endpoint.body === 'object' ? endpoint.body.limit : undefined;
  const slow = setTimeout(() => request.slot?.release(), TIMEOUT.promptBody);
  const bytes = await service.bodies.read(request, reply, limit).finally(() => clearTimeout(slow));
  await request.slot?.acquireAgain();
  return bytes;
}

/**
 * The body of a request as JSON of the form that the row of its endpoint describes.
 *
 * @throws ServiceError `body_malformed`, `payload_invalid` with every problem
 */
export async function jsonBody<T>(call: Call): Promise<T> {
  const { body } = call.endpoint;
  const sent = await bodyBytes(call);
  const bytes = sent.length === 0 && typeof body === 'object' && body.optional ? Buffer.from('{}') : sent;
  const schema = schemaOf(call.endpoint);
  // Most of what a thread takes long for is refused.
  const problems = await runIfLong(call.service.pool, bodyProblemsIn, { bytes, schema }, bytes.length);
  if (problems.length > 0) throw refusal('payload_invalid', problems);
  return parseJson(textOfBody(bytes)) as T;
}

function schemaOf({ body, id }: Endpoint): object {
  const content = typeof body === 'object' ? body.content['application/json'] : undefined;
  if (!content) throw new Error(`The endpoint ${id} has no schema of its body.`);
  return (content as { readonly schema: object }).schema;
}

/** The body of a request as any JSON, for elements of the configuration, which their room checks. */
export async function anyJsonBody(call: Call): Promise<JsonValue> {
  return parseJsonBody(decodeBody(await bodyBytes(call)), JSON.parse);
}

/**
 * Compares `Content-Type` with the query parameter `format`: JSON, also that of JSON-LD, has to be labeled as JSON, and a body
 * in another format may be labeled as anything else.
 *
 * @throws ServiceError `body_malformed`
 */
export function checkContentType(contentType: string | undefined, format: FormatName): void {
  const expected = FORMATS[format];
  if (isJson(contentType) === isJson(expected.mediaType)) return;
  const found = contentType === undefined ? 'no valid Content-Type' : `the Content-Type '${contentType}'`;
  const others = Object.entries(FORMATS).filter(([, { mediaType }]) => !isJson(mediaType));
  const hints = others.map(([name, { title }]) => `for ${title}, add ?format=${name}`);
  const hint = expected.isJson ? ` (${hints.join('; ')})` : '';
  const message = `The request has ${found}, expected ${expected.mediaType}${hint}.`;
  throw new ServiceError('body_malformed', message);
}

/**
 * The format of a request that has no parameter `format`: that of its body, if the label of that is the media type of one. JSON
 * without a keyword of JSON-LD stays JSON, whatever kind of JSON its label names.
 */
export function formatOf({ request }: Pick<Call, 'request'>, format: FormatName, body: Buffer): FormatName {
  if (Object.hasOwn(request.query as object, 'format')) return format;
  const [label] = (request.headers['content-type'] ?? '').split(';');
  const mediaType = label!.trim().toLowerCase();
  const names = Object.keys(FORMATS) as FormatName[];
  const named = names.find((name) => FORMATS[name].mediaType === mediaType) ?? format;
  return isJson(mediaType) && !body.includes('"@') ? format : named;
}

/** `application/json` and `application/*+json`. */
function isJson(contentType: string | undefined): boolean {
  return /^\s*application\/([\w.!#$&^-]+\+)?json\s*(;|$)/i.test(contentType ?? '');
}
