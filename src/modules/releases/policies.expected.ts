/** Requests that must not reveal hidden records. With policies in force, releases are for curators alone. */
import type { Probes } from '../../../test/policies/world.ts';

export const probes: Probes = {
  'GET /-/{collection}/releases': () => [{ method: 'GET', url: '/-/c/releases' }],
  'GET /-/{collection}/releases/{name}': () => [{ method: 'GET', url: '/-/c/releases/v1' }],
  'GET /-/{collection}/releases/{name}/{file}': () => [{ method: 'GET', url: '/-/c/releases/v1/crate.zip' }],
};
