/** Requests that must not reveal hidden records. */
import type { Probe, Probes } from '../../../test/policies/world.ts';

const get = (url: string): Probe => ({ method: 'GET', url });
const pidOf = (pid: string) => `pid=${encodeURIComponent(pid)}`;

export const probes: Probes = {
  'GET /-/{collection}/submissions/': () => [
    get('/-/c/submissions/?size=2&page=2'),
    get('/-/c/submissions/?class=Person&status=waiting'),
    get('/-/c/submissions/?q=secret'),
    get('/-/c/submissions/?since=2000-01-01T00:00:00Z&size=1'),
  ],
  'POST /-/{collection}/submissions/comments': ({ pids }) =>
    pids.flatMap((pid): Probe[] => [
      { method: 'POST', url: '/-/c/submissions/comments', json: { pid, text: 'It is right.' } },
      get(`/-/c/submissions/item?${pidOf(pid)}`),
    ]),
};
