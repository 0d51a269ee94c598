/** Fetches the sources of vocabularies that are configured and have no snapshot yet. */

import type { Registry } from '../../core/collections/registry.ts';
import { missingTerms } from '../../core/collections/terms.ts';
import { type CollectionConfig, entryOf } from '../../core/config/config.ts';
import { type ConfigurationState, SERVER_ID } from '../../core/config/state.ts';
import { RETRY } from '../../core/durations.ts';
import type { Jobs } from '../../core/work/jobs.ts';
import type { VocabularyConfig } from './configuration.ts';

export function fetchMissing(state: ConfigurationState, registry: Registry, jobs: Jobs): void {
  const job = jobs.add({
    name: 'take vocabularies',
    retry: RETRY.vocabulary,
    async run(context) {
      const failures: unknown[] = [];
      for (const { name: collection, config, schema } of registry.current().collections.values())
        for (const name of missingTerms({ config, schema })) {
          if (context.stopping) return;
          const configured = config.vocabularies![name]!;
          try {
            const fetched = await registry.terms.fetch(configured);
            await putInForce(state, collection, name, { configured, fetched });
          } catch (error) {
            failures.push(error);
          }
        }
      if (failures.length > 0) throw failures[0];
    },
  });
  registry.onActivate(() => job.wake());
  job.wake();
}

/** Unless the vocabulary was configured otherwise meanwhile. */
function putInForce(
  state: ConfigurationState,
  collection: string,
  name: string,
  { configured, fetched }: { readonly configured: VocabularyConfig; readonly fetched: VocabularyConfig },
): Promise<void> {
  return state.change((current) => {
    const config = entryOf<CollectionConfig>(current.collections, collection);
    const now = entryOf(config?.vocabularies ?? {}, name);
    const isSame = now && JSON.stringify(now) === JSON.stringify(configured);
    if (!config || !isSame) return current;
    const next = { ...config, vocabularies: { ...config.vocabularies, [name]: fetched } };
    return { ...current, collections: { ...current.collections, [collection]: next } };
  }, SERVER_ID);
}
