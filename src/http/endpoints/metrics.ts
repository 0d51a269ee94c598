import { isHashOf } from '../../config/admin-token.ts';
import { presentedToken } from '../client.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { enterAsAdministrator } from '../enter.ts';
import { sendText } from '../reply.ts';
import { replying } from '../replying.ts';

/** The numbers name collections and zones in use, so they need a token: the one for metrics, or an admin token. */
function enterForMetrics(call: Call): void {
  const { service, request } = call;
  if (!isHashOf(service.metricsToken, presentedToken(request.headers)))
    enterAsAdministrator(call, 'The measurements require the token for metrics or an admin token');
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
    ...replying(enterForMetrics, {}, async (_, __, { service: { metrics }, reply }) =>
      sendText(reply.header('cache-control', 'no-store'), metrics.mediaType, await metrics.text()),
    ),
  },
];
