/** The hook that lets requests in, within the limits, and measures them. It runs for every request, so it is frugal. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../metrics/metrics.ts';
import type { Series } from '../metrics/request-series.ts';
import type { Projector } from '../work/projector.ts';
import { clientAddress } from './client.ts';
import type { Limits } from './limits.ts';

/** The label of requests that no route takes. */
const UNMATCHED = 'unmatched';
/** Routes about the service itself. */
const MONITORING: ReadonlySet<string> = new Set(['/-/health', '/-/ready', '/-/metrics', '/-/status']);

/** What is known of a route: its configuration is the same object in all of its requests. */
type Route = { readonly series: Series; readonly isMonitoring: boolean };

export function gate(limits: Limits, metrics: Metrics, projector: Pick<Projector, 'noteRequest'>) {
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
    const address = clientAddress(request.raw);
    const { raw } = reply;
    let leave: (() => void) | undefined;
    // The response closes also if the client has gone; the request keeps its place while its handler still works.
    raw.on('close', () => {
      if (leave) whenAnswered(request, leave);
      if (raw.statusCode === 401) limits.refused(address, request.headers);
      else if (request.acceptedToken !== undefined) limits.accepted(address, request.acceptedToken);
      series.answered(raw.statusCode, (performance.now() - began) / 1000);
    });
    const refusal = limits.refusalOf(address, request.headers, isMonitoring);
    if (refusal) {
      reply.header('retry-after', String(refusal.seconds));
      done(refusal.error);
    } else if (isMonitoring) done();
    else {
      projector.noteRequest();
      leave = limits.enter(done);
    }
  };
}

/** What is worked on: until its handler ends, also if the client has gone before. */
const answering = new WeakMap<FastifyRequest, Promise<unknown>>();

/** Notes what the handler of a request returns. */
export function noteAnswering<T>(request: FastifyRequest, answer: Promise<T>): Promise<T> {
  answering.set(request, answer);
  return answer;
}

/** Releases what a request holds when its handler has ended; at once if none has begun. To be called when the response closes. */
export function whenAnswered(request: FastifyRequest, release: () => void): void {
  const answer = answering.get(request);
  if (answer) answer.then(release, release);
  else release();
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The token of the request, once it was accepted. */
    acceptedToken: string | undefined;
  }
}
