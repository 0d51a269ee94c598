/** `accession check`: what is wrong with a store, and how to repair it. */
import { lostLog, runningService } from '../../../core/config/store-directory.ts';
import { isServiceError } from '../../../core/errors.ts';
import { firstOfKinds } from '../../first-of-kinds.ts';
import { MODULES } from '../../modules.ts';
import { isDatabaseUrl, openStore } from '../../open-store.ts';
import { PROBLEMS_FOUND, withCause } from '../../outcome.ts';
import { countText, write } from '../../print.ts';
import { databaseFile, RESTORE, records } from './areas.ts';
import { type Check, error, type Finding } from './finding.ts';
import {
  clock,
  disk,
  filesNotKept,
  formerService,
  permissions,
  places,
  policies,
  zones,
} from './surroundings.ts';
import { tokens } from './tokens.ts';

/** For every store. */
const CHECKS: readonly Check[] = [databaseFile, records, zones, tokens, clock, policies];
/** For a store directory. */
const CHECKS_OF_DIRECTORY: readonly Check[] = [filesNotKept, permissions, disk, places, formerService];

type CheckOptions = {
  readonly records?: boolean;
  readonly fix?: boolean;
  readonly json?: boolean;
  /** Whether each finding is printed, instead of the first ones of a kind in an area. */
  readonly all?: boolean;
};

export async function check(place: string, options: CheckOptions): Promise<number> {
  const kinds = firstOfKinds<Finding>(options.all || options.json);
  const print = async (finding: Finding, isRepaired = false) => {
    if (options.json) return write(jsonLine(finding, isRepaired));
    const { severity, check, area } = finding;
    if (kinds.shows(JSON.stringify([severity, check, area]), finding))
      await write(textLines(finding, isRepaired));
  };
  const isDirectory = !isDatabaseUrl(place);
  // SQLite makes a new one when the database is opened.
  const lost = isDirectory ? lostLog(place) : undefined;
  const opened = await openStore(place).catch((failure: unknown) => {
    if (isServiceError(failure) && failure.code === 'storage_failed') return failure;
    throw failure;
  });
  if (isServiceError(opened)) {
    await print(error('database', withCause(opened), RESTORE));
    return PROBLEMS_FOUND;
  }
  await using store = opened;
  const areas = await store.areas();
  const isRunning = isDirectory && runningService(store.root) !== undefined;
  const checked = {
    ...store,
    areas,
    isDirectory,
    isRunning,
    lostLog: lost,
    withRecords: options.records === true,
  };
  const counts = { error: 0, warning: 0, repaired: 0 };
  let isAll = true;
  const ofModules = await Promise.all(MODULES.map((module) => module.check?.() ?? []));
  const checks = [...CHECKS, ...ofModules.flat(), ...(isDirectory ? CHECKS_OF_DIRECTORY : [])];
  for (const one of checks) {
    for await (const finding of one(checked)) {
      const isRepaired = options.fix === true && finding.repair !== undefined;
      if (isRepaired) finding.repair?.();
      counts[isRepaired ? 'repaired' : finding.severity] += 1;
      await print(finding, isRepaired);
    }
    for (const { first, more } of kinds.end()) {
      isAll = false;
      await write(`${nameOfKind(first)}: ${more} more\n`);
    }
  }
  const fixed = counts.repaired > 0 ? `, ${counts.repaired} repaired` : '';
  const found = `${countText(counts.error, 'error')}, ${countText(counts.warning, 'warning')}${fixed}`;
  process.stderr.write(`${countText(areas.length, 'area')} checked, ${found}\n`);
  if (!isAll) process.stderr.write('--all prints each finding\n');
  return counts.error > 0 ? PROBLEMS_FOUND : 0;
}

function jsonLine({ repair: _, ...finding }: Finding, repaired: boolean): string {
  return `${JSON.stringify({ ...finding, repaired })}\n`;
}

function textLines(finding: Finding, repaired: boolean): string {
  return `${nameOfKind(finding)}: ${finding.message}\n    ${repaired ? 'Repaired.' : finding.remedy}\n`;
}

function nameOfKind({ severity, check, area }: Finding): string {
  return `${severity} ${check}${area === '' ? '' : ` ${area}`}`;
}
