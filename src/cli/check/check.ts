/** `accession check`, which is `accession doctor`, too: what is wrong with a store, and how to repair it. */
import { ServiceError } from '../../errors.ts';
import type { Given } from '../command.ts';
import { isDatabaseUrl, type OpenStore, openStore } from '../open-store.ts';
import { PROBLEMS_FOUND, withCause } from '../outcome.ts';
import { counted, write } from '../print.ts';
import { lostLog, runningService } from '../running.ts';
import { databaseFile, RESTORE, records } from './areas.ts';
import { files } from './files.ts';
import { type Check, error, type Finding } from './finding.ts';
import { clock, disk, formerService, permissions, places, zones } from './surroundings.ts';
import { tokens } from './tokens.ts';

/** For every store. */
const CHECKS: readonly Check[] = [databaseFile, records, zones, tokens, clock];
/** For a store directory. */
const CHECKS_OF_DIRECTORY: readonly Check[] = [files, permissions, disk, places, formerService];

/** Run by the table of commands. */
export async function check(given: Given): Promise<number> {
  const place = given.args[0] as string;
  const print = (finding: Finding, isRepaired = false) =>
    write(given.is('json') ? jsonLine(finding, isRepaired) : textLines(finding, isRepaired));
  const isDirectory = !isDatabaseUrl(place);
  // SQLite makes a new one when the database is opened.
  const lost = isDirectory ? lostLog(place) : undefined;
  let store: OpenStore;
  try {
    store = await openStore(place);
  } catch (failure) {
    if (!(failure instanceof ServiceError && failure.code === 'storage_failed')) throw failure;
    await print(error('database', withCause(failure), RESTORE));
    return PROBLEMS_FOUND;
  }
  try {
    const areas = await store.areas();
    const isRunning = isDirectory && runningService(store.root) !== undefined;
    const checked = { ...store, areas, isRunning, lostLog: lost, withRecords: given.is('records') };
    let errors = 0;
    let warnings = 0;
    let repaired = 0;
    for (const one of isDirectory ? [...CHECKS, ...CHECKS_OF_DIRECTORY] : CHECKS) {
      for await (const finding of one(checked)) {
        const isRepaired = given.is('fix') && finding.repair !== undefined;
        if (isRepaired) finding.repair?.();
        if (isRepaired) repaired += 1;
        else if (finding.severity === 'error') errors += 1;
        else warnings += 1;
        await print(finding, isRepaired);
      }
    }
    const fixed = repaired > 0 ? `, ${repaired} repaired` : '';
    const counts = `${counted(errors, 'error')}, ${counted(warnings, 'warning')}${fixed}`;
    process.stderr.write(`${counted(areas.length, 'area')} checked, ${counts}\n`);
    return errors > 0 ? PROBLEMS_FOUND : 0;
  } finally {
    await store.close();
  }
}

function jsonLine({ repair: _, ...finding }: Finding, repaired: boolean): string {
  return `${JSON.stringify({ ...finding, repaired })}\n`;
}

function textLines({ severity, check, area, message, remedy }: Finding, repaired: boolean): string {
  const where = area === '' ? '' : ` ${area}`;
  return `${severity} ${check}${where}: ${message}\n    ${repaired ? 'Repaired.' : remedy}\n`;
}
