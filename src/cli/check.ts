/** `accession check` and `accession rebuild-index`: look after the areas of a store directory. */
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { checkStore, rebuildIndex } from '../storage/maintenance.ts';
import { type AreaDirectory, areaDirectories } from './areas.ts';
import { complain, complainOf, FAILURE, USAGE_ERROR } from './outcome.ts';

const CHECK_USAGE = `usage: accession check <store> [--json]

Tells what is wrong with the stored records: files that can't be read, damaged databases, an index that contradicts its
records. The service may run meanwhile. Exits with 1 where anything is wrong.

  --json  one JSON object a line: collection, area, path, message
`;

const REBUILD_USAGE = `usage: accession rebuild-index <store>

Makes the indexes of all areas anew; files of record directories are all read again at the next start. Records and
revisions stay as they are. No service may run meanwhile.
`;

const OPTIONS = {
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** @returns the exit status */
export function check(args: string[]): Promise<number> {
  return onAreas(args, CHECK_USAGE, (areas, json) => {
    const faults = areas.flatMap(({ collection, area, directory }) =>
      checkStore(directory).map(({ path, message }) => ({ collection, area, path, message })),
    );
    for (const fault of faults) {
      const { collection, area, path, message } = fault;
      process.stdout.write(
        json ? `${JSON.stringify(fault)}\n` : `${collection} ${area} ${path}: ${message}\n`,
      );
    }
    process.stderr.write(`${areas.length} areas checked, ${faults.length} faults\n`);
    return faults.length > 0 ? FAILURE : 0;
  });
}

/** @returns the exit status */
export function rebuild(args: string[]): Promise<number> {
  return onAreas(args, REBUILD_USAGE, (areas) => {
    const log = pino({ level: 'info' }, pino.destination({ dest: 2, sync: true }));
    for (const { directory } of areas) rebuildIndex(directory, log);
    process.stderr.write(`the indexes of ${areas.length} areas are made anew\n`);
    return 0;
  });
}

async function onAreas(
  args: string[],
  usage: string,
  work: (areas: AreaDirectory[], json: boolean) => number,
): Promise<number> {
  try {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    if (values.help) {
      process.stdout.write(usage);
      return 0;
    }
    const [store, ...more] = positionals;
    if (store === undefined || more.length > 0) throw new TypeError('expected one store directory');
    return work(await areaDirectories(store), values.json);
  } catch (error) {
    if (error instanceof TypeError) return complain(`${error.message}\n\n${usage}`, USAGE_ERROR);
    return complainOf(error, FAILURE);
  }
}
