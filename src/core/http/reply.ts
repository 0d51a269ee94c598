/** From results and errors to answers. Has the statuses of the error codes of the core; those of modules are in their `codes.ts`. */
import type { Duplex } from 'node:stream';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { JsonText } from '#linkml/json.ts';
import {
  type CoreCode,
  type ErrorCode,
  isDiskFull,
  isServiceError,
  type Problem,
  ServiceError,
} from '../errors.ts';
import { readableToken } from './client.ts';
import { loggedUrl } from './request-log.ts';

/** In characters: proxies refuse responses with all headers beyond some kilobytes. Longer values are left out. */
export const LONGEST_HEADER = 4000;

/** Specification 7, and what it leaves open; `docs/errors.md` explains each. */
export const CORE_STATUSES: Readonly<Record<CoreCode, number>> = {
  body_malformed: 400,
  request_malformed: 400,
  headers_too_large: 431,
  body_too_large: 413,
  record_invalid: 400,
  batch_refused: 400,
  prefix_unknown: 400,
  conversion_failed: 400,
  parameter_invalid: 422,
  payload_invalid: 422,
  header_conflict: 400,
  precondition_failed: 412,
  too_many_records: 413,
  search_too_broad: 413,
  request_timeout: 408,
  token_required: 401,
  token_refused: 401,
  permission_missing: 403,
  maintenance: 503,
  maintenance_refused: 400,
  policies_unavailable: 503,
  read_only: 405,
  route_unknown: 404,
  method_not_allowed: 405,
  collection_unknown: 404,
  collection_unavailable: 503,
  class_unknown: 404,
  label_unknown: 404,
  token_unknown: 404,
  admin_token_unknown: 404,
  record_missing: 404,
  record_referenced: 409,
  revision_gone: 410,
  merge_conflict: 409,
  already_undone: 409,
  config_invalid: 422,
  admin_token_missing: 500,
  schema_invalid: 422,
  store_incompatible: 400,
  path_outside_store: 406,
  path_not_directory: 422,
  incoming_missing: 406,
  label_missing: 406,
  default_token_kept: 406,
  default_token_permits_more: 409,
  default_token_expired: 409,
  last_admin_token: 409,
  hash_malformed: 406,
  name_taken: 409,
  name_reserved: 409,
  representation_taken: 409,
  policy_info_missing: 400,
  policy_info_unreadable: 400,
  busy: 503,
  task_timeout: 503,
  too_many_requests: 429,
  stopping: 503,
  storage_failed: 500,
  storage_damaged: 503,
  storage_unavailable: 503,
  storage_full: 507,
  internal: 500,
};

/** The statuses of error codes, those of modules included. */
export type Statuses = Readonly<Record<ErrorCode, number>>;

declare module 'fastify' {
  interface FastifyInstance {
    statuses: Statuses;
  }
}

/** The codes of problems whose paths start in the body of the request. */
const ABOUT_BODY: ReadonlySet<ErrorCode> = new Set(['record_invalid', 'conversion_failed', 'body_malformed']);

/** Errors that fastify and Node find before a handler runs. */
const CODE_OF_FRAMEWORK: Readonly<Record<string, [ErrorCode, string]>> = {
  ECONNRESET: ['body_malformed', 'The request ended before its body did.'],
  ERR_STREAM_PREMATURE_CLOSE: ['body_malformed', 'The request ended before its body did.'],
  Z_DATA_ERROR: ['body_malformed', 'The body does not have the compression that Content-Encoding names.'],
  FST_ERR_BAD_URL: ['route_unknown', 'This URL does not exist.'],
  FST_ERR_ASYNC_CONSTRAINT: ['route_unknown', 'This URL does not exist.'],
};

/** Returns the detail of an error answer: `{"detail": text or list of problems}`. */
export function detailOf(error: ServiceError): string | Problem[] {
  if (error.problems.length === 0) return error.message;
  const prefix = ABOUT_BODY.has(error.code) ? ['body'] : [];
  return error.problems.map((problem) => ({ ...problem, loc: [...prefix, ...problem.loc] }));
}

/** After how many seconds a client may try again, if the request itself does not decide it. */
const RETRY_AFTER: Partial<Readonly<Record<ErrorCode, string>>> = {
  busy: '1',
  stopping: '5',
  storage_unavailable: '2',
  collection_unavailable: '5',
};

/** Answers an error, whatever it is. */
export function replyError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, detail } = refusalOf(error, request);
  sendError(reply, toServiceError(error)?.code ?? 'internal', { detail }, status);
}

/**
 * Sends the body of an error, with its code for programs in the header `Accession-Error`. `Retry-After` is added if the same
 * request can succeed a moment later.
 */
export function sendError(
  reply: FastifyReply,
  code: ErrorCode,
  body: object | JsonText,
  status = reply.server.statuses[code],
): FastifyReply {
  const pause = RETRY_AFTER[code];
  if (pause !== undefined) reply.header('retry-after', pause);
  // These may have been set already, for the content that was not made.
  reply.removeHeader('etag');
  setCaching(reply);
  const text = body instanceof JsonText ? body.text : JSON.stringify(body);
  return sendJson(reply.code(status).header('accession-error', code), text);
}

/** Returns the description of an error for its client. Of one that is unexpected, only the id under which the log has the rest. */
export function refusalOf(
  error: unknown,
  request: FastifyRequest,
): { readonly status: number; readonly detail: ReturnType<typeof detailOf> } {
  const known = toServiceError(error);
  const status = known ? request.server.statuses[known.code] : 500;
  if (known && status !== 500) return { status, detail: detailOf(known) };
  const { id, method, requester } = request;
  request.log.error(
    { err: error, request: id, method, url: loggedUrl(request), ...requester },
    'request failed',
  );
  const where = `the operator finds the reason in the log (request ${id})`;
  return { status, detail: `The service could not complete the request; ${where}.` };
}

function toServiceError(error: unknown): ServiceError | undefined {
  if (isServiceError(error)) return error;
  // Indexes besides the records, such as those of references and of reviews, need room as well.
  if (isDiskFull(error))
    return new ServiceError('storage_full', 'The request failed: the disk of the store is full.');
  const { code = '', statusCode = 500, message = '' } = (error ?? {}) as Partial<FastifyError>;
  const entry = CODE_OF_FRAMEWORK[code];
  if (entry) return new ServiceError(entry[0], entry[1]);
  return statusCode >= 400 && statusCode < 500 ? new ServiceError('body_malformed', message) : undefined;
}

/** Refusals of Node's parser, by their code. */
const UNREADABLE: Readonly<Record<string, readonly [status: string, code: ErrorCode, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'headers_too_large',
    'The headers of the request are too large.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'request_timeout', 'The request arrives too slowly.'],
};

type ClientError = NodeJS.ErrnoException & { readonly reason?: string };

function unreadableRequest({
  code = '',
  reason = '',
}: ClientError): readonly [string, ErrorCode, string, string?] {
  const known = UNREADABLE[code];
  if (known) return known;
  if (code === 'HPE_INVALID_METHOD' || /invalid method/i.test(reason))
    return [
      '405 Method Not Allowed',
      'method_not_allowed',
      'The service does not support this method.',
      ALLOW,
    ];
  return ['400 Bad Request', 'request_malformed', 'The request is not valid HTTP.'];
}

/** The path is not known yet: these are the methods of all endpoints together. */
const ALLOW = 'Allow: DELETE, GET, HEAD, OPTIONS, POST, PUT\r\n';

/** Responds to bytes that are not an HTTP request, if the connection still accepts a response. */
export function replyToClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, code, detail, more = ''] = unreadableRequest(error);
  const body = JSON.stringify({ detail });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nAccession-Error: ${code}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n${more}\r\n${body}`,
  );
}

/** Sends a JSON text as it is. With this serializer, fastify leaves the text and its media type alone. */
export function sendJson(reply: FastifyReply, text: string | Buffer): FastifyReply {
  return reply.header('content-type', 'application/json').serializer(asItIs).send(text);
}

/** Keeps fastify from adding a character set to the media types of JSON. */
export function asItIs(text: string): string {
  return text;
}

/** Sends text of a media type. */
export function sendText(reply: FastifyReply, mediaType: string, text: string): FastifyReply {
  return reply.header('content-type', contentTypeOf(mediaType)).serializer(asItIs).send(text);
}

/** The header for a media type: texts name their encoding. */
export function contentTypeOf(mediaType: string): string {
  return mediaType.startsWith('text/') ? `${mediaType}; charset=utf-8` : mediaType;
}

/** Caches have to ask again before they use a response, and a shared one keeps none that was made for a token. */
export function setCaching(reply: FastifyReply): void {
  const isShared = readableToken(reply.request.headers) === undefined;
  reply.header('cache-control', isShared ? 'no-cache' : 'private, no-cache');
}

/** Names one more header of the request that the response depends on. */
export function addVary(reply: FastifyReply, name: string): void {
  const others = reply.getHeader('vary');
  reply.header('vary', others === undefined ? name : `${others}, ${name}`);
}
