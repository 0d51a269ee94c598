/** Takes the sources of vocabularies that are configured and have no snapshot yet. */
import { type CollectionConfig, entryOf, type VocabularyConfig } from '../config/config.ts';
import { type ConfigurationState, SERVER_ID } from '../config/state.ts';
import { RETRY } from '../durations.ts';
import type { Jobs } from '../work/jobs.ts';
import type { Registry } from './registry.ts';

export function takeMissing(state: ConfigurationState, registry: Registry, jobs: Jobs): void {
  const job = jobs.add({
    ...{ name: 'take vocabularies', retry: RETRY.vocabulary },
    async run(context) {
      const failures: unknown[] = [];
      for (const { name: collection, config, vocabularies } of registry.current().collections.values())
        for (const name of vocabularies.missing) {
          if (context.stopping) return;
          const wanted = config.vocabularies![name]!;
          try {
            const taken = await registry.vocabularies.take(wanted);
            await putInForce(state, collection, name, { wanted, taken });
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
  { wanted, taken }: { readonly wanted: VocabularyConfig; readonly taken: VocabularyConfig },
): Promise<void> {
  return state.change((current) => {
    const config = entryOf<CollectionConfig>(current.collections, collection);
    const now = entryOf(config?.vocabularies ?? {}, name);
    const isSame = now && JSON.stringify(now) === JSON.stringify(wanted);
    if (!config || !isSame) return current;
    const next = { ...config, vocabularies: { ...config.vocabularies, [name]: taken } };
    return { ...current, collections: { ...current.collections, [collection]: next } };
  }, SERVER_ID);
}
