/** Releases: named states of the curated area that never change. See README.md. */
import type { Module } from '../../module.ts';
import { codes } from './codes.ts';
import { releaseDatasets } from './datasets.ts';
import { releaseEndpoints } from './endpoints.ts';
import { makeReleases } from './make.ts';
import { tables } from './tables.ts';

export const releases: Module = {
  name: 'releases',
  uses: ['publish'],
  tables,
  codes,
  endpoints: releaseEndpoints,
  start: (core) => makeReleases(core, core.jobs),
  attach: () => releaseDatasets,
};
