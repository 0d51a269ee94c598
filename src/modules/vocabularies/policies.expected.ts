/** Requests that must not reveal hidden records. */
import type { Probes } from '../../../test/policies/world.ts';

export const probes: Probes = {
  'GET /-/{collection}/terms/{vocabulary}': () => [{ method: 'GET', url: '/-/c/terms/cl?q=secret' }],
};
