/** `accession check` and `accession rebuild-index`: look after the areas of a store directory. */
import { pino } from 'pino';
import { checkStore, rebuildIndex } from '../storage/maintenance.ts';
import { storeAreas } from './areas.ts';
import { databaseFaults } from './check-database.ts';
import type { Given } from './command.ts';
import { isDatabaseUrl } from './open-store.ts';
import { PROBLEMS_FOUND } from './outcome.ts';
import { counted, write } from './print.ts';
import { type Misfit, misfits } from './rehearse.ts';

/** `accession check` */
export async function check(given: Given): Promise<number> {
  const store = given.args[0] as string;
  const withRecords = given.is('records');
  let areas = 0;
  let faults = 0;
  const examined = () => {
    areas += 1;
  };
  const found = isDatabaseUrl(store)
    ? databaseFaults(store, withRecords, examined)
    : directoryFaults(store, withRecords, examined);
  for await (const fault of found) {
    const { collection, area, path, message } = fault;
    faults += 1;
    await write(
      given.is('json') ? `${JSON.stringify(fault)}\n` : `${collection} ${area} ${path}: ${message}\n`,
    );
  }
  process.stderr.write(`${counted(areas, 'area')} checked, ${counted(faults, 'fault')}\n`);
  return faults > 0 ? PROBLEMS_FOUND : 0;
}

async function* directoryFaults(
  store: string,
  withRecords: boolean,
  examined: () => void,
): AsyncGenerator<Misfit> {
  const areas = await storeAreas(store);
  for (const { collection, area, directory } of areas) {
    examined();
    for (const { path, message } of checkStore(directory)) yield { collection, area, path, message };
  }
  if (withRecords) yield* misfits(areas);
}

/** `accession rebuild-index` */
export async function rebuild(given: Given): Promise<number> {
  const areas = await storeAreas(given.args[0] as string);
  const log = pino({ level: 'info' }, pino.destination({ dest: 2, sync: true }));
  for (const { directory } of areas) rebuildIndex(directory, log);
  process.stderr.write(`rebuilt the indexes of ${counted(areas.length, 'area')}\n`);
  return 0;
}
