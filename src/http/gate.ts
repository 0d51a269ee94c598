/** The hook that lets requests in, within the limits, and measures them. It runs for every request, so it is frugal. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../metrics/metrics.ts';
import type { Series } from '../metrics/request-series.ts';
import type { Projector } from '../work/projector.ts';
import { clientAddress } from './address.ts';
import { whenAnswered } from './answering.ts';
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
