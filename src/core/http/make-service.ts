/** Makes the service that handlers work with: the parts that `app.ts` opened, and those that are the server's own. */
import { type Gauges, Metrics } from '../metrics/metrics.ts';
import { Bodies } from './bodies.ts';
import type { Endpoint } from './endpoint.ts';
import { keptHealth } from './health.ts';
import { DEFAULT_LIMITS, Limits } from './limits.ts';
import { ApiDescription } from './openapi.ts';
import { Responses } from './responses.ts';
import { samplesOf } from './samples.ts';
import type { ServerParts, Service } from './service.ts';
import { Wakeups } from './wakeups.ts';

export function serviceOf(
  { limits: given, ...parts }: ServerParts,
  { endpoints, gauges }: { readonly endpoints: readonly Endpoint[]; readonly gauges: Gauges },
): Service {
  const { version, healthInterval } = parts;
  const options = { ...DEFAULT_LIMITS, ...given };
  const service: Service = {
    ...parts,
    bodies: new Bodies({ each: options.bodyMebibytes * 2 ** 20 }),
    limits: new Limits(options),
    responses: new Responses(options.unreadSeconds * 1000),
    wakeups: new Wakeups(parts.database),
    metrics: new Metrics(version, gauges, () => samplesOf(service)),
    health: keptHealth(parts, healthInterval),
    api: new ApiDescription(endpoints, parts),
  };
  return service;
}
