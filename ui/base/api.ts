/** Requests to the service. A client of the public API: nothing here that another program could not send. */

import { isObject, type Json, type JsonObject, parseJson } from './json.ts';
import { SERVICE } from './router.ts';
import { session, tokenRefused } from './session.ts';

/** One problem of a refused request. */
export type Problem = {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input?: Json;
};

/** A refusal of the service, or that it could not be reached (status 0). */
export class ApiError extends Error {
  readonly status: number;
  readonly problems: readonly Problem[];
  /** The rest of the first problem: `digest`, `decision`, `differences` … */
  readonly body: Json;

  constructor(status: number, message: string, problems: readonly Problem[] = [], body: Json = null) {
    super(message);
    this.status = status;
    this.problems = problems;
    this.body = body;
  }

  /** The code of the first problem. */
  get code(): string {
    return this.problems[0]?.type ?? '';
  }

  /** A member of the first problem. */
  get first(): JsonObject {
    return (this.problems[0] as unknown as JsonObject) ?? {};
  }
}

export type Answer<T = Json> = {
  readonly status: number;
  readonly value: T;
  readonly text: string;
  readonly etag: string | null;
  readonly ignored: boolean;
};

export type Ask = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly query?: Readonly<Record<string, string | number | boolean | undefined | null>>;
  readonly body?: unknown;
  /** Sent as it is, with its own media type. */
  readonly file?: Blob;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Another token than that of the session, to try it. */
  readonly token?: string;
};

/**
 * Sends a request; `path` are the segments below the root of the service.
 *
 * @throws ApiError for every response that is not a success
 */
export async function ask<T = Json>(path: readonly string[], options: Ask = {}): Promise<Answer<T>> {
  const url = urlFor(path, options.query);
  const token = options.token ?? session.token.peek();
  const headers = new Headers(options.headers);
  if (token) headers.set('x-service-token', token);
  if (options.body !== undefined) headers.set('content-type', 'application/json');
  const body = options.body === undefined ? options.file : JSON.stringify(options.body);
  const init: RequestInit = {
    method: options.method ?? 'GET',
    headers,
    credentials: 'omit',
    cache: 'no-cache',
  };
  if (body !== undefined) init.body = body;
  if (options.signal) init.signal = options.signal;
  const response = await fetch(url, init).catch((error: unknown) => {
    if ((error as Error).name === 'AbortError') throw error;
    throw new ApiError(0, 'offline');
  });
  const text = await response.text();
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  const value = isJson && text !== '' ? parseJson(text) : null;
  if (!response.ok && response.status !== 304) throw refusal(response.status, value, text, token);
  return {
    status: response.status,
    value: value as T,
    text,
    etag: response.headers.get('etag'),
    ignored: response.headers.get('accession-ignored') !== null,
  };
}

function refusal(status: number, value: Json, text: string, token: string | undefined): ApiError {
  if (status === 401 && token !== undefined && token === session.token.peek()) tokenRefused();
  const detail = isObject(value) ? value.detail : undefined;
  if (Array.isArray(detail)) {
    const problems = detail as unknown as Problem[];
    return new ApiError(status, problems.map(({ msg }) => msg).join('\n'), problems, value);
  }
  return new ApiError(status, typeof detail === 'string' ? detail : text || `HTTP ${status}`, [], value);
}

/** The URL of an endpoint. */
function urlFor(path: readonly string[], query: Ask['query'] = {}): URL {
  const url = new URL(path.map(encodeURIComponent).join('/'), SERVICE);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
  }
  return url;
}

/** Saves a response as a file: a link could not carry the token. */
export async function download(path: readonly string[], query: Ask['query'], name: string): Promise<void> {
  const token = session.token.peek();
  const headers: HeadersInit = token ? { 'x-service-token': token } : {};
  const response = await fetch(urlFor(path, query), { headers, credentials: 'omit' });
  if (!response.ok) return;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
