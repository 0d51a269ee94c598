/** Sends requests, and turns error responses into errors. */
import { networkFailure } from '../core/errors.ts';
import { retryAfter } from '../core/retry-after.ts';
import type { Json, ProblemReport } from './types.ts';

/** A service refused a request, or could not be reached (`status` 0). */
export class ClientError extends Error {
  readonly status: number;
  /** The code of the error, such as `record_invalid`; undefined if the service cannot be reached or sent none. */
  readonly code: string | undefined;
  /** The type of the first problem, if there is one: `missing`. */
  readonly type: string | undefined;
  readonly problems: readonly ProblemReport[];
  /** The whole body of the response; null if it is not JSON. */
  readonly body: Json;

  constructor(
    message: string,
    status: number,
    problems: readonly ProblemReport[] = [],
    { body = null, code, ...options }: ErrorOptions & { body?: Json; code?: string | undefined } = {},
  ) {
    super(message, options);
    this.name = 'ClientError';
    this.status = status;
    this.code = code;
    this.type = problems[0]?.type;
    this.problems = problems;
    this.body = body;
  }
}

/** A `fetch` that is also informed whether a request changes nothing. */
export type Fetch = (url: string, init: RequestInit & { readonly safe: boolean }) => Promise<Response>;

export type ConnectOptions = {
  /** The URL of the service, also one below a path: `https://example.org/records`. */
  readonly url: string;
  /** The token, or what returns it when a request is sent. */
  readonly token?: string | (() => string | undefined);
  /** Used instead of the global `fetch`. */
  readonly fetch?: Fetch;
  /** How often a request is repeated that the service is too busy for (429, 503), or that did not reach it (default 3). */
  readonly retries?: number;
  /** Reads JSON (default `JSON.parse`, which rounds long numbers). */
  readonly parse?: (text: string) => unknown;
  /** Ends every request of the client. */
  readonly signal?: AbortSignal;
};

export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | null | undefined>
>;

export type RequestOptions = {
  readonly query?: Query | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly json?: unknown;
  readonly body?: string | Uint8Array<ArrayBuffer> | Blob;
  readonly contentType?: string;
  /** Whether the request changes nothing; default: whether it is a GET. */
  readonly safe?: boolean | undefined;
};

/** Sends requests to one service. */
export interface Http {
  /** The response, whose status is below 400 (304 included). @throws ClientError */
  send(method: string, path: string, options?: RequestOptions): Promise<Response>;
  /** The body as JSON. @throws ClientError */
  json<T>(method: string, path: string, options?: RequestOptions): Promise<T>;
  /** The body as a string. @throws ClientError if the connection breaks */
  text(response: Response): Promise<string>;
  /** The body in chunks. @throws ClientError if the connection breaks */
  chunks(response: Response): AsyncIterable<Uint8Array<ArrayBuffer>>;
  /** The items of a list that is sent as `{"items": …}`. @throws ClientError */
  items<T>(path: string, query?: Query): Promise<readonly T[]>;
  /** Reads the JSON of a response as the options of the client say. @throws ClientError if it is not JSON */
  parse(text: string, response: Response): unknown;
}

/** An {@link Http} for one service and token. */
export function openHttp({
  url,
  token,
  fetch: given,
  retries = 3,
  parse = JSON.parse,
  signal,
}: ConnectOptions): Http {
  const base = url.replace(/\/+$/, '');
  const fetchOnce: Fetch = given ?? fetch;
  async function send(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    if (typeof method !== 'string' || typeof path !== 'string')
      throw new TypeError('Expected a method and a path, such as send("GET", "/server").');
    const address = `${base}${path}${queryText(options.query)}`;
    const body = options.json === undefined ? options.body : JSON.stringify(options.json);
    const type = options.json === undefined ? options.contentType : 'application/json';
    const headers = new Headers();
    const secret = typeof token === 'function' ? token() : token;
    if (secret) setToken(headers, secret);
    if (type) headers.set('content-type', type);
    for (const [name, value] of Object.entries(options.headers ?? {}))
      if (value !== undefined) headers.set(name, value);
    for (let attempt = 0; ; attempt += 1) {
      const last = attempt >= retries;
      try {
        const response = await fetchOnce(address, {
          method,
          headers,
          safe: options.safe ?? method === 'GET',
          ...(body !== undefined && { body }),
          ...(signal && { signal }),
        });
        if (response.status < 400) return response;
        if (last || !isBusy(response.status)) throw await errorOf(response, base, parse);
        await response.body?.cancel();
        await pause(attempt, retryAfter(response.headers.get('retry-after'), response.headers.get('date')));
      } catch (error) {
        if (error instanceof ClientError || signal?.aborted) throw error;
        if (last) throw unreachable(base, error);
        await pause(attempt);
      }
    }
  }
  /** The connection may break while a response is read. */
  function broken(error: unknown): unknown {
    return signal?.aborted ? error : unreachable(base, error);
  }
  async function json<T>(method: string, path: string, options?: RequestOptions): Promise<T> {
    const response = await send(method, path, options);
    if (response.status === 304) return undefined as T;
    return parseBody(await text(response), response, parse) as T;
  }
  function text(response: Response): Promise<string> {
    return response.text().catch((error) => {
      throw broken(error);
    });
  }
  async function* chunks({ body }: Response): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    try {
      yield* body ?? [];
    } catch (error) {
      throw broken(error);
    }
  }

  return {
    send,
    json,
    text,
    chunks,
    parse: (text, response) => parseBody(text, response, parse),
    items: async <T>(path: string, query?: Query) =>
      (await json<{ readonly items: readonly T[] }>('GET', path, { query })).items,
  };
}

export const DAMAGED = '"accession check STORE" names records that are damaged.';

/**
 * Reads the body of a response. The service does not parse the records that it sends, so one that is damaged in the database
 * is found here.
 *
 * @throws ClientError if it is not JSON
 */
export function parseBody(
  text: string,
  { url, status }: Response,
  parse: (text: string) => unknown = JSON.parse,
) {
  try {
    return parse(text);
  } catch (cause) {
    const why = (cause as Error).message.replace(/\.$/, '');
    const message = `The response to ${url} is not JSON: ${why}. ${DAMAGED}`;
    throw new ClientError(message, status, [], { cause });
  }
}

/** The error of the headers would have the token in it, so it is not the cause. @throws ClientError */
function setToken(headers: Headers, secret: string): void {
  try {
    headers.set('x-service-token', secret);
  } catch {
    throw new ClientError('The token has a character that a header cannot have, such as a line break.', 0);
  }
}

function isBusy(status: number): boolean {
  return status === 429 || status === 503;
}

/** Doubles from 200 ms, unless the service says how long. */
async function pause(attempt: number, asked?: number): Promise<void> {
  const milliseconds = asked === undefined ? 200 * 2 ** attempt : Math.min(asked, 30_000);
  await new Promise((done) => setTimeout(done, milliseconds));
}

function unreachable(base: string, error: unknown): ClientError {
  return new ClientError(`The service at ${base} cannot be reached: ${networkFailure(error)}.`, 0, [], {
    cause: error,
  });
}

async function errorOf(response: Response, base: string, parse: (text: string) => unknown) {
  const body = readBody(await response.text().catch(() => ''), parse);
  const { detail } = (body ?? {}) as { detail?: string | ProblemReport[] };
  const { status, headers } = response;
  const more = { body, code: headers.get('accession-error') ?? undefined };
  if (typeof detail === 'string') return new ClientError(detail, status, [], more);
  if (detail !== undefined && detail.length > 0) {
    return new ClientError(detail.map(({ msg }) => msg).join(' '), status, detail, more);
  }
  return new ClientError(`The service at ${base} responded with ${status}.`, status, [], more);
}

function readBody(text: string, parse: (text: string) => unknown): Json {
  try {
    return parse(text) as Json;
  } catch {
    return null;
  }
}

/** `?name=value&…`; several values are repeated. */
function queryText(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      throw new TypeError(`${name}: expected a string, found an object.`);
    for (const one of [value].flat())
      if (one !== undefined && one !== null) parameters.append(name, String(one));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
