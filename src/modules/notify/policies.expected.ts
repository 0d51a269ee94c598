/** Requests that must not reveal hidden records. */
import type { Probe, Probes } from '../../../test/policies/world.ts';

const get = (url: string): Probe => ({ method: 'GET', url });

export const probes: Probes = {
  'GET /-/{collection}/inbox': () => [get('/-/c/inbox'), get('/-/c/inbox?limit=1')],
  'PUT /-/{collection}/inbox/read': () => [
    { method: 'PUT', url: '/-/c/inbox/read', json: { cursor: null } },
    get('/-/c/inbox'),
  ],
  'PUT /-/{collection}/inbox/followed': ({ pids }) => [
    ...pids.map((pid) => ({ method: 'PUT', url: '/-/c/inbox/followed', json: { pid } })),
    get('/-/c/inbox/followed'),
    get('/-/c/inbox'),
  ],
  'DELETE /-/{collection}/inbox/followed': ({ pids }) => [
    ...pids.map((pid) => ({ method: 'DELETE', url: `/-/c/inbox/followed?pid=${encodeURIComponent(pid)}` })),
    get('/-/c/inbox/followed'),
  ],
  'PUT /-/{collection}/inbox/visit': () => [
    { method: 'PUT', url: '/-/c/inbox/visit', json: { cursor: '1' } },
  ],
  'GET /-/{collection}/inbox/mail': () => [get('/-/c/inbox/mail')],
  'PUT /-/{collection}/inbox/mail': () => [
    { method: 'PUT', url: '/-/c/inbox/mail', json: { mode: 'none', address: 'a@example.org' } },
  ],
  'DELETE /-/{collection}/inbox/mail': () => [{ method: 'DELETE', url: '/-/c/inbox/mail' }],
  'POST /-/{collection}/inbox/feed': () => [{ method: 'POST', url: '/-/c/inbox/feed?token=x' }],
  'POST /-/{collection}/inbox/link': () => [{ method: 'POST', url: '/-/c/inbox/link?token=confirm.1.x' }],
  'DELETE /-/{collection}/inbox/feed': () => [{ method: 'DELETE', url: '/-/c/inbox/feed' }],
};
