/**
 * Takes the sources of vocabularies again at the intervals that are configured. A refresh is tried on all records first. It is put
 * in force by itself only if all records stay as valid as they are; otherwise the log names the rehearsal, for a person to decide.
 */
import type { Collection } from '../../core/collections/collection.ts';
import type { Administration } from '../../core/config/administration.ts';
import { type CollectionConfig, mapEntries } from '../../core/config/config.ts';
import { BY_SERVICE, SERVER_ID } from '../../core/config/state.ts';
import { EVERY, isWithin, REFRESH } from '../../core/durations.ts';
import type { Database } from '../../core/storage/database.ts';
import { readMeta, setMeta } from '../../core/storage/meta.ts';
import type { JobContext, Jobs } from '../../core/work/jobs.ts';
import { migratePart } from '../migrate/part.ts';
import type { VocabularyConfig } from './configuration.ts';

type RefreshParts = {
  readonly database: Database;
  readonly registry: { current(): { readonly collections: ReadonlyMap<string, Collection> } };
  readonly administration: Administration;
  readonly jobs: Jobs;
  readonly log: Record<'info' | 'warn', (details: object, message: string) => void>;
};

/** Refreshes vocabularies from now on; of several instances, the leading one does. */
export function refreshVocabularies(parts: RefreshParts): void {
  const job = {
    name: 'refresh vocabularies',
    every: EVERY.vocabularies,
    async run(context: JobContext) {
      const failures: unknown[] = [];
      for (const collection of parts.registry.current().collections.values())
        for (const [name, vocabulary] of Object.entries(collection.config.vocabularies ?? {})) {
          if (context.stopping || !parts.database.leadership.held) return;
          await refreshIfDue(parts, collection, name, vocabulary).catch((error) => failures.push(error));
        }
      if (failures.length > 0) throw failures[0];
    },
  };
  parts.jobs.add(job).wake();
}

/** @throws ServiceError `schema_invalid` if the source cannot be read */
async function refreshIfDue(
  parts: RefreshParts,
  collection: Collection,
  name: string,
  { refresh, snapshot }: VocabularyConfig,
): Promise<void> {
  if (refresh === undefined || snapshot === undefined) return;
  const { database, administration, log } = parts;
  const key = `refreshed ${collection.name} ${name}`;
  const last = await readMeta(database, key);
  if (last !== undefined && isWithin(Date.parse(last), REFRESH[refresh])) return;
  // A restart does not begin the interval again.
  await database.transact(async (draft) => setMeta(draft, key, new Date().toISOString()));
  // Its source has just been taken.
  if (last === undefined) return;
  const { changes } = collection.part(migratePart);
  const dryRun = await changes.tryOut({ vocabularies: { [name]: {} } }, SERVER_ID, true);
  await dryRun.done;
  if (snapshotsOf(dryRun.vocabularies) === snapshotsOf(collection.config.vocabularies)) return;
  const facts = { collection: collection.name, vocabulary: name, rehearsal: dryRun.id };
  const { valid, invalid_before, ...others } = dryRun.summary.by_outcome;
  if (dryRun.state === 'done' && Object.values(others).every((records) => records === 0)) {
    await changes.switchTo(administration, dryRun, { chosen: false, ifValid: true }, BY_SERVICE);
    log.info(facts, 'the vocabulary was refreshed');
  } else log.warn({ ...facts, records: others }, 'the vocabulary was not refreshed: records need a decision');
}

function snapshotsOf(vocabularies: CollectionConfig['vocabularies'] = {}): string {
  return JSON.stringify(mapEntries(vocabularies, ({ snapshot }) => snapshot));
}
