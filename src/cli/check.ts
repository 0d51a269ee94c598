/** `accession check` and `accession rebuild-index`: look after the areas of a store directory. */
import { pino } from 'pino';
import { checkStore, rebuildIndex } from '../storage/maintenance.ts';
import { storeAreas } from './areas.ts';
import type { Given } from './command.ts';
import { PROBLEMS_FOUND } from './outcome.ts';
import { counted, write } from './print.ts';
import { misfits } from './rehearse.ts';

/** `accession check` */
export async function check(given: Given): Promise<number> {
  const areas = await storeAreas(given.args[0] as string);
  const faults = areas.flatMap(({ collection, area, directory }) =>
    checkStore(directory).map(({ path, message }) => ({ collection, area, path, message })),
  );
  if (given.is('records')) faults.push(...(await Array.fromAsync(misfits(areas))));
  for (const fault of faults) {
    const { collection, area, path, message } = fault;
    await write(
      given.is('json') ? `${JSON.stringify(fault)}\n` : `${collection} ${area} ${path}: ${message}\n`,
    );
  }
  process.stderr.write(`${counted(areas.length, 'area')} checked, ${counted(faults.length, 'fault')}\n`);
  return faults.length > 0 ? PROBLEMS_FOUND : 0;
}

/** `accession rebuild-index` */
export async function rebuild(given: Given): Promise<number> {
  const areas = await storeAreas(given.args[0] as string);
  const log = pino({ level: 'info' }, pino.destination({ dest: 2, sync: true }));
  for (const { directory } of areas) rebuildIndex(directory, log);
  process.stderr.write(`rebuilt the indexes of ${counted(areas.length, 'area')}\n`);
  return 0;
}
