/** `GET /-/metrics`: what the service measures, for Prometheus. */
import type { FastifyReply } from 'fastify';
import { isHashOf } from '../../config/admin-token.ts';
import { presentedToken } from '../client.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { enterAsAdministrator } from '../enter.ts';
import { parametersOf } from '../query.ts';

/** The numbers name collections and zones in use, so they need a token: the one for metrics, or an admin token. */
async function readMetrics(call: Call): Promise<FastifyReply> {
  const { service, request, reply } = call;
  const token = presentedToken(request.headers);
  if (!isHashOf(service.metricsToken, token))
    enterAsAdministrator(call, 'The measurements require the token for metrics or an admin token');
  parametersOf(call, {});
  const text = await service.metrics.text();
  return reply
    .header('content-type', service.metrics.mediaType)
    .header('cache-control', 'no-store')
    .send(text);
}

export const metricsEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/-/metrics',
    id: 'metrics',
    tag: 'Service',
    summary: 'Measurements in the text format of Prometheus',
    description: 'Requires the token for metrics that the service was started with, or an admin token.',
    token: 'admin',
    answers: {
      200: { description: 'The measurements.', content: { 'text/plain': { schema: { type: 'string' } } } },
    },
    handle: readMetrics,
  },
];
