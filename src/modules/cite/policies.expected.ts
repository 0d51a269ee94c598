/** Requests that must not reveal hidden records. */
import type { Probe, Probes } from '../../../test/policies/world.ts';

const get = (url: string): Probe => ({ method: 'GET', url });

export const probes: Probes = {
  'GET /-/{collection}/cite': ({ pids }) =>
    pids.flatMap((pid) =>
      ['text', 'csl'].map((format) => get(`/-/c/cite?pid=${encodeURIComponent(pid)}&format=${format}`)),
    ),
};
