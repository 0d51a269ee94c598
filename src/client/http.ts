/** Sends requests, and turns error responses into errors. */
import { networkFailure } from '../errors.ts';

/** A service refused a request, or could not be reached (`status` 0). */
export class ClientError extends Error {
  readonly status: number;
  /** The code of the first problem, if the service named one: `record_invalid`. */
  readonly type: string | undefined;
  readonly problems: readonly ClientProblem[];

  constructor(
    message: string,
    status: number,
    problems: readonly ClientProblem[] = [],
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ClientError';
    this.status = status;
    this.type = problems[0]?.type;
    this.problems = problems;
  }
}

/** One problem of a request, as the service reports it. */
export type ClientProblem = {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly input?: unknown;
};

export type ConnectOptions = {
  /** The URL of the service, also one below a path: `https://example.org/records`. */
  readonly url: string;
  readonly token?: string;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** How often a request is repeated that the service is too busy for (429, 503), or that did not reach it (default 3). */
  readonly retries?: number;
};

export type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

export type RequestOptions = {
  readonly query?: Query | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly json?: unknown;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly contentType?: string;
  readonly signal?: AbortSignal;
};

/** Sends requests to one service. */
export interface Http {
  /** The response, whose status is below 400 (304 included). @throws ClientError */
  send(method: string, path: string, options?: RequestOptions): Promise<Response>;
  /** The body as JSON. @throws ClientError */
  json<T>(method: string, path: string, options?: RequestOptions): Promise<T>;
}

/** An {@link Http} for one service and token. */
export function openHttp({ url, token, fetch: given, retries = 3 }: ConnectOptions): Http {
  const base = url.replace(/\/+$/, '');
  const fetchOnce = given ?? fetch;
  async function send(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const address = `${base}${path}${queryText(options.query)}`;
    const body = options.json === undefined ? options.body : JSON.stringify(options.json);
    const type = options.json === undefined ? options.contentType : 'application/json';
    const headers = new Headers();
    if (token) headers.set('x-service-token', token);
    if (type) headers.set('content-type', type);
    for (const [name, value] of Object.entries(options.headers ?? {}))
      if (value !== undefined) headers.set(name, value);
    for (let attempt = 0; ; attempt += 1) {
      const last = attempt >= retries;
      try {
        const response = await fetchOnce(address, {
          method,
          headers,
          ...(body !== undefined && { body }),
          ...(options.signal && { signal: options.signal }),
        });
        if (response.status < 400) return response;
        if (last || !isBusy(response.status)) throw await errorOf(response, base);
        await response.body?.cancel();
        await pause(attempt, response.headers.get('retry-after'));
      } catch (error) {
        if (error instanceof ClientError || options.signal?.aborted) throw error;
        if (last) throw unreachable(base, error);
        await pause(attempt, null);
      }
    }
  }
  return {
    send,
    async json<T>(method: string, path: string, options?: RequestOptions) {
      const response = await send(method, path, options);
      return (response.status === 304 ? undefined : await response.json()) as T;
    },
  };
}

function isBusy(status: number): boolean {
  return status === 429 || status === 503;
}

/** Doubles from 200 ms, unless the service says how long. */
async function pause(attempt: number, retryAfter: string | null): Promise<void> {
  const asked = retryAfter === null ? Number.NaN : Number(retryAfter) * 1000;
  const milliseconds = Number.isFinite(asked) ? Math.min(asked, 30_000) : 200 * 2 ** attempt;
  await new Promise((done) => setTimeout(done, milliseconds));
}

function unreachable(base: string, error: unknown): ClientError {
  return new ClientError(`The service at ${base} cannot be reached: ${networkFailure(error)}.`, 0, [], {
    cause: error,
  });
}

async function errorOf(response: Response, base: string): Promise<ClientError> {
  const text = await response.text().catch(() => '');
  const detail = detailIn(text);
  if (typeof detail === 'string') return new ClientError(detail, response.status);
  if (detail !== undefined && detail.length > 0) {
    return new ClientError(detail.map(({ msg }) => msg).join(' '), response.status, detail);
  }
  return new ClientError(`The service at ${base} responded with ${response.status}.`, response.status);
}

function detailIn(text: string): string | ClientProblem[] | undefined {
  try {
    return (JSON.parse(text) as { detail?: string | ClientProblem[] }).detail;
  } catch {
    return undefined;
  }
}

/** `?name=value&…`; several values are repeated. */
function queryText(query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat()) if (one !== undefined) parameters.append(name, String(one));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
