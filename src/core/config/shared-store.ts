/** A store that several processes use: its configuration is read where one of them has stored it, and followed. */
import type { Logger } from 'pino';
import { EVERY } from '../durations.ts';
import { isServiceError, ServiceError } from '../errors.ts';
import type { Database } from '../storage/database.ts';
import type { RecordStore } from '../storage/store.ts';
import type { Jobs } from '../work/jobs.ts';
import { CONFIGURATION_AREA } from './record.ts';
import type { ConfigurationState } from './state.ts';

/** The area of the configuration. @throws ServiceError `config_invalid` if there is none to read */
export async function configurationArea(database: Database, root: string): Promise<RecordStore> {
  if (!database.readOnly) return database.area(CONFIGURATION_AREA);
  const area = await database.existingArea(CONFIGURATION_AREA);
  if (area) return area;
  throw new ServiceError(
    'config_invalid',
    `The store ${root} has no configuration to read: start the service that owns it first.`,
  );
}

/** Applies the changes of other processes: by polling, and on notification. */
export function followOthers(state: ConfigurationState, jobs: Jobs, database: Database, log: Logger): void {
  let isAway = false;
  const run = async () => {
    try {
      await state.refresh();
      isAway = false;
    } catch (error) {
      // The database is asked again soon: its state has to be applied within a second of its return.
      if (!isServiceError(error) || error.code !== 'storage_unavailable') throw error;
      if (!isAway) log.error({ err: error }, 'could not read the configuration, will retry');
      isAway = true;
    }
  };
  const job = jobs.add({
    name: 'configuration',
    every: EVERY.configuration,
    retry: EVERY.configuration,
    run,
  });
  database.onChange((areas) => {
    if (areas === 'unknown' || areas.has(CONFIGURATION_AREA)) job.wake();
  });
}

/** Why the database cannot be used; undefined if it can. */
export async function storeProblem(
  state: ConfigurationState,
  database: Database,
): Promise<string | undefined> {
  try {
    await state.checkStore();
    await database.requireWritable();
    return undefined;
  } catch (error) {
    return isServiceError(error) ? error.message : String(error);
  }
}
