/** The hooks that let requests in, within the limits, measure them, and end their work. They run for every request, so they are frugal. */
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Series } from '../metrics/request-series.ts';
import type { Admission, Waiter } from '../work/admission.ts';
import type { Projector } from '../work/projector.ts';
import { clientKey, type Proxies } from './client.ts';
import { BRIEF } from './connections.ts';
import type { Limits } from './limits.ts';
import type { Responses } from './responses.ts';

/** The label of requests that no route takes. */
const UNMATCHED = 'unmatched';
/** Routes about the service itself. */
const MONITORING: ReadonlySet<string> = new Set(['/-/health', '/-/ready', '/-/metrics', '/-/status']);

/** A route as the gate knows it: its configuration is the same object in all of its requests. */
type Route = { readonly series: Series; readonly isMonitoring: boolean };

export function gate(
  limits: Limits,
  proxies: Proxies,
  metrics: Metrics,
  projector: Pick<Projector, 'noteRequest'>,
) {
  const routes = new WeakMap<object, Map<string, Route>>();
  const routeOf = (request: FastifyRequest): Route => {
    const { config, url = UNMATCHED } = request.routeOptions;
    const byMethod = routes.get(config) ?? new Map<string, Route>();
    let route = byMethod.get(request.method);
    if (route === undefined) {
      route = { series: metrics.series(request.method, url), isMonitoring: MONITORING.has(url) };
      routes.set(config, byMethod.set(request.method, route));
    }
    return route;
  };
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    const began = performance.now();
    const { series, isMonitoring } = routeOf(request);
    // Not known any more when the client has gone.
    const address = proxies.clientAddress(request.raw);
    const { raw } = reply;
    const isCounted = address !== undefined && limits.unanswered.take(address);
    const isTooMany = BRIEF.has(request.raw.socket) || (address !== undefined && !isCounted);
    if (isTooMany) reply.header('connection', 'close');
    raw.on('close', () => {
      if (isCounted) limits.unanswered.leave(address);
      if (raw.statusCode === 401) limits.refused(address, request.headers);
      else if (request.acceptedToken !== undefined) limits.accepted(address, request.acceptedToken);
      series.answered(raw.statusCode, (performance.now() - began) / 1000);
    });
    const refusal = limits.refusalOf(address, request.headers, isMonitoring);
    if (refusal) {
      reply.header('retry-after', String(refusal.seconds));
      done(refusal.error);
    } else if (isMonitoring) done();
    else if (isTooMany) done(new ServiceError('busy', TOO_MANY_CONNECTIONS));
    else {
      projector.noteRequest();
      request.client = clientKey(address, request.headers);
      const slot = new Slot(limits.admission, request.client);
      request.slot = slot;
      holdWhileWorking(request, reply, () => slot.release());
      slot.acquire(done);
    }
  };
}

const TOO_MANY_CONNECTIONS =
  'Too many connections are open, or too many of this client. Close some of them, or try again later.';
const TOO_MANY_WAITING =
  'Too many requests wait for changes, or too many of this client. End some of them, or try again later.';

type WaitingRequest = {
  readonly service: { readonly limits: Limits };
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

/**
 * Releases the slot of a request for those that work: it waits from now on, until its response ends. Clients that cannot be
 * distinguished have one share of these together.
 *
 * @throws ServiceError `busy`
 */
export function beginToWait({ service: { limits }, request, reply }: WaitingRequest): void {
  if (reply.raw.destroyed) return;
  const { client = '' } = request;
  if (!limits.waiting.take(client)) {
    reply.header('connection', 'close');
    throw new ServiceError('busy', TOO_MANY_WAITING);
  }
  reply.raw.once('close', () => limits.waiting.leave(client));
  request.slot?.release();
}

/** Waits for something that is not the service, such as a receiver: the request has no slot meanwhile. */
export async function withoutSlot<T>(call: WaitingRequest, wait: () => Promise<T>): Promise<T> {
  beginToWait(call);
  const result = await wait();
  await call.request.slot?.acquireAgain();
  return result;
}

/** The slot of a request among those that are answered at the same time. */
class Slot {
  readonly #admission: Admission;
  readonly #client: string | undefined;
  #end: (() => void) | undefined;
  #isReleased = false;

  constructor(admission: Admission, client: string | undefined) {
    this.#admission = admission;
    this.#client = client;
  }

  acquire(waiter: Waiter): void {
    this.#isReleased = false;
    const end = this.#admission.enter(waiter, this.#client);
    // The request may be answered while it is let in.
    if (this.#isReleased) end();
    else this.#end = end;
  }

  release(): void {
    this.#isReleased = true;
    this.#end?.();
    this.#end = undefined;
  }

  /** Acquires a slot again if it was released. @throws ServiceError `busy` */
  acquireAgain(): Promise<void> {
    if (this.#end) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.acquire((refusal) => (refusal ? reject(refusal) : resolve()));
    });
  }
}

/**
 * The share of a request in progress: a slot, and memory for a body. It belongs to the work, not to the
 * connection. So it is released when the response begins, however slowly the client reads, and kept while a handler
 * works for a client that has gone.
 */
type Work = { readonly held: Set<() => void>; handled?: Promise<unknown> };

const works = new WeakMap<FastifyRequest, Work>();

function workOf(request: FastifyRequest): Work {
  let work = works.get(request);
  if (work === undefined) {
    work = { held: new Set() };
    works.set(request, work);
  }
  return work;
}

/** Calls `release` once, when the work for a request has ended. */
export function holdWhileWorking(request: FastifyRequest, reply: FastifyReply, release: () => void): void {
  const { held } = workOf(request);
  held.add(release);
  const closed = () => {
    const { handled } = workOf(request);
    if (handled) handled.then(end, end);
    else end();
  };
  const end = () => held.delete(release) && release();
  if (reply.raw.destroyed) closed();
  else reply.raw.once('close', closed);
}

/** Notes what the handler of a request returns. */
export function noteHandling<T>(request: FastifyRequest, handled: Promise<T>): Promise<T> {
  workOf(request).handled = handled;
  return handled;
}

/** Responses with fewer bytes are in the buffers of the system at once. */
const SHORT = 16 * 1024;
/** Longer ones are sent in slices: while a slice is sent, no progress of its client is seen. */
const SLICE = 16 * 1024;
const LONG = 16 * SLICE;
/** The memory of a stream with its source, in bytes. */
const STREAM_BYTES = 256 * 1024;

/** Whether a stream has nothing in memory while nothing happens. */
function isIdle(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type')).startsWith('text/event-stream');
}

/** The hook that runs when a response begins: the work for it is done. */
export function onResponseStart(responses: Responses) {
  return (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
    done: (error: null, payload: unknown) => void,
  ): void => {
    const { held } = workOf(request);
    for (const release of held) release();
    held.clear();
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload);
    const bytes = isWhole ? payload.length : payload && !isIdle(reply) ? STREAM_BYTES : 0;
    if (bytes > SHORT) responses.add(reply.raw, Math.max(bytes, STREAM_BYTES));
    if (!isWhole || bytes <= LONG || request.method === 'HEAD') {
      done(null, payload);
      return;
    }
    const whole = typeof payload === 'string' ? Buffer.from(payload) : payload;
    reply.header('content-length', whole.length);
    done(null, Readable.from(slices(whole), { objectMode: false }));
  };
}

function* slices(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += SLICE) yield bytes.subarray(at, at + SLICE);
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The token of the request, once it was accepted. */
    acceptedToken: string | undefined;
    /** See {@link clientKey}. */
    client: string | undefined;
    /** Undefined for requests that need none. */
    slot: Slot | undefined;
  }
}
