/** Requests that must not reveal hidden records. */
import type { Probe, Probes } from '../../../test/policies/world.ts';

const get = (url: string): Probe => ({ method: 'GET', url });

export const probes: Probes = {
  'GET /-/{collection}/overview': () => [
    get('/-/c/overview'),
    get('/-/c/overview?class=Person'),
    get('/-/c/overview?q=secret'),
    get('/-/c/overview?given_name.filled=true'),
  ],
  'GET /-/{collection}/overview/values': () => [
    get('/-/c/overview/values?slot=given_name'),
    get('/-/c/overview/values?slot=founded&class=Organization'),
    get('/-/c/overview/values?slot=affiliations&family_name.filled=true'),
  ],
  'GET /-/{collection}/overview/weeks': () => [
    get('/-/c/overview/weeks?weeks=2'),
    get('/-/c/overview/weeks?weeks=2&class=Person'),
  ],
};
