/** `accession check` of a store in a database: every record of every area is read. */
import { pino } from 'pino';
import { locationOf } from '../collections/open-collection.ts';
import { readPersistent } from '../config/record.ts';
import { compareCodePoints, isJsonObject, parseJson } from '../json.ts';
import { openSchema } from '../schema/schema.ts';
import { recordProblems } from '../curate/faults.ts';
import type { RecordStore, StoredRecord } from '../storage/store.ts';
import { openStoreAt } from './open-store.ts';
import { type Misfit, misfitMessage } from './rehearse.ts';

/** What is wrong in one area. */
type Found = AsyncGenerator<Pick<Misfit, 'path' | 'message'>>;

/**
 * The faults of all areas. Collections that keep their areas in the store directory are left out.
 *
 * @param withRecords whether records that do not fit the schema of their collection are faults
 * @param examined is called for each area
 */
export async function* databaseFaults(
  url: string,
  withRecords: boolean,
  examined: () => void,
): AsyncGenerator<Misfit> {
  const log = pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }));
  const store = await openStoreAt(url, 'exists', log);
  try {
    const { configuration } = await readPersistent(store.configuration);
    const seen = new Set<string>();
    for (const [collection, config] of Object.entries(configuration.collections)) {
      if (!config.backend.type.startsWith('postgresql')) continue;
      const areas = await store.areasOf(collection, config);
      const schema = withRecords ? await openSchema(config.schema) : undefined;
      for (const label of [null, ...(config.incoming === null ? [] : await areas.labels())]) {
        const path = locationOf(collection, config, store.root).locate(label);
        // Collections may share areas.
        if (seen.has(path)) continue;
        seen.add(path);
        examined();
        const area = label === null ? 'curated' : `incoming/${label}`;
        const opened = await areas.open(label);
        const check = (record: StoredRecord) => (schema ? recordProblems(schema, record) : []);
        try {
          for await (const fault of faultsOf(opened, check)) yield { collection, area, ...fault };
        } finally {
          await opened.close();
        }
      }
    }
  } finally {
    await store.close();
  }
}

async function* faultsOf(
  store: RecordStore,
  recordProblems: (record: StoredRecord) => Parameters<typeof misfitMessage>[0],
): Found {
  yield* await store.faults();
  const revision = await store.revision();
  const counts = new Map<string, number>();
  let records = 0;
  let last = '';
  for await (const record of store.scan({})) {
    const { pid: path, className, json } = record;
    records += 1;
    counts.set(className, (counts.get(className) ?? 0) + 1);
    if (compareCodePoints(last, path) > 0) yield { path, message: `is not in its place behind ${last}` };
    last = path;
    if (record.revision > revision)
      yield { path, message: `has the revision ${record.revision}, and its area has ${revision}` };
    if (isRecord(json, path)) {
      const problems = recordProblems(record);
      if (problems.length > 0) yield { path, message: misfitMessage(problems) };
    } else yield { path, message: 'is not a JSON object with this pid' };
  }
  const kept = await store.count({});
  if (kept !== records) yield { path: '', message: `${records} records, and ${kept} are counted` };
  for (const [className, number] of counts) {
    const ofClass = await store.count({ classes: [className] });
    if (ofClass !== number)
      yield { path: '', message: `${number} records of ${className}, and ${ofClass} are counted` };
  }
}

function isRecord(json: string, pid: string): boolean {
  try {
    const value = parseJson(json);
    return isJsonObject(value) && value.pid === pid;
  } catch {
    return false;
  }
}
