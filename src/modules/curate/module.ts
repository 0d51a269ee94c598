/** Curation: records that do not fit, missing references, duplicates, renames and merges, hints about all of these. See README.md. */
import type { Module } from '../../module.ts';
import { attachCurate } from './attach.ts';
import { codes } from './codes.ts';
import { Duplicates, MEMORY } from './duplicates.ts';
import { curationEndpoints } from './endpoints.ts';
import { moveEndpoints } from './move-endpoints.ts';
import { settings } from './settings.ts';
import { tables } from './tables.ts';

export const curate: Module = {
  name: 'curate',
  uses: ['claims'],
  tables,
  codes,
  settings,
  memory: MEMORY,
  endpoints: [...curationEndpoints, ...moveEndpoints],
  attach() {
    const duplicates = new Duplicates();
    return (collection) => attachCurate(collection, duplicates);
  },
};
