/** Requests that must not reveal hidden records. */
import type { Probes } from '../../../test/policies/world.ts';

export const probes: Probes = {
  'POST /-/{collection}/user-names': () => [
    { method: 'POST', url: '/-/c/user-names', json: { users: ['institute:ann'] } },
  ],
};
