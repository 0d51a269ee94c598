/** Vocabularies: the terms of ontologies, thesauri and tables that values are chosen from. See README.md. */

import { missingTerms } from '../../core/collections/terms.ts';
import type { Module } from '../../module.ts';
import { codes } from './codes.ts';
import { configuration } from './configuration.ts';
import { termEndpoints } from './endpoints.ts';
import { fetchMissing } from './fetch-missing.ts';
import { recordsOf } from './records.ts';
import { refreshVocabularies } from './refresh.ts';
import { snapshotsIn, Vocabularies } from './snapshots.ts';
import { tables } from './tables.ts';

export const vocabularies: Module = {
  name: 'vocabularies',
  uses: ['migrate'],
  tables,
  codes,
  endpoints: termEndpoints,
  configuration,
  provides: {
    terms: ({ database, pool, sources, hosts, registry }) =>
      new Vocabularies({
        database,
        pool,
        sources,
        hosts,
        locate: (source) => registry.locate(source),
        recordsOf: (source) => recordsOf(source, registry.current()),
        inForce: () => snapshotsIn(registry.current().configuration),
      }),
  },
  start(core) {
    fetchMissing(core.administration.state, core.registry, core.jobs);
    refreshVocabularies(core);
    return undefined;
  },
  attach:
    ({ log }) =>
    (collection) => {
      for (const vocabulary of missingTerms(collection))
        log.warn(
          { collection: collection.name, vocabulary },
          'there is no snapshot of the vocabulary, its terms are not enforced',
        );
      return {
        health: async () =>
          missingTerms(collection).map(
            (name) => `the vocabulary '${name}' has no snapshot, its terms are not enforced`,
          ),
      };
    },
};
