/** Measures every request for `/-/metrics`. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from '../metrics/metrics.ts';

/** The label of requests that no route takes. */
const UNMATCHED = 'unmatched';

/** The hook that comes first, so that what others refuse is measured too. */
export function measure(metrics: Metrics) {
  return (request: FastifyRequest, { raw }: FastifyReply, done: () => void): void => {
    const began = performance.now();
    // The response closes also if the client has gone.
    raw.once('close', () => {
      const status = raw.statusCode;
      const route = request.routeOptions.url ?? UNMATCHED;
      metrics.answered({
        method: request.method,
        route,
        status,
        seconds: (performance.now() - began) / 1000,
      });
    });
    done();
  };
}
