/** Requests that must not reveal hidden records. */
import type { Probe, Probes } from '../../../test/policies/world.ts';

const get = (url: string): Probe => ({ method: 'GET', url });

export const probes: Probes = {
  'GET /-/{collection}/inbox': () => [
    get('/-/c/inbox'),
    get('/-/c/inbox?limit=1'),
    get(`/-/c/inbox?after=${Buffer.from('[9e15,0,"","",0]').toString('base64url')}`),
  ],
  'PUT /-/{collection}/inbox/read': () => [
    { method: 'PUT', url: '/-/c/inbox/read', json: { until: '2999-01-01T00:00:00.000000+00:00' } },
    get('/-/c/inbox'),
  ],
};
