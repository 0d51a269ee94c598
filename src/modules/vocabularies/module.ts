/** Vocabularies: the terms of ontologies, thesauri and tables that values are chosen from. See README.md. */
import type { Module } from '../../module.ts';
import { codes } from './codes.ts';
import { termEndpoints } from './endpoints.ts';
import { fetchMissing } from './fetch-missing.ts';
import { recordsOf } from './records.ts';
import { refreshVocabularies } from './refresh.ts';
import { snapshotsIn, Vocabularies } from './snapshots.ts';
import { tables } from './tables.ts';

export const vocabularies: Module = {
  name: 'vocabularies',
  tables,
  codes,
  endpoints: termEndpoints,
  terms: ({ database, pool, hosts, registry }) =>
    new Vocabularies({
      ...{ database, pool, hosts },
      locate: (source) => registry.locate(source),
      recordsOf: (source) => recordsOf(source, registry.current()),
      inForce: () => snapshotsIn(registry.current().configuration),
    }),
  start(core) {
    fetchMissing(core.state, core.registry, core.jobs);
    refreshVocabularies(core);
    return undefined;
  },
};
