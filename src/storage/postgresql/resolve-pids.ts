/**
 * Resolves the pids of an area again after a prefix has changed. Otherwise a record would keep the IRI that its pid
 * once stood for, and writing the same pid again would add a second record.
 */
import { ServiceError } from '../../errors.ts';
import type { OrderKey } from '../block-order.ts';
import type { Actor, RecordStore, StoredRecord, StoreFault } from '../store.ts';
import type { Naming } from '../store-handles.ts';
import type { DatabaseArea } from './area.ts';
import { after, requireOrder } from './records.ts';

/** Records read at a time. */
const PIDS_AT_ONCE = 200;

const BY: Actor = { committer: 'service', author: 'service', role: 'service' };

/**
 * Brings the IRIs of all records up to date.
 *
 * @returns a fault for each record that keeps its old IRI, since another record has the new one
 */
export async function resolvePids(
  area: DatabaseArea,
  store: RecordStore,
  { expand }: Pick<Naming, 'expand'>,
): Promise<StoreFault[]> {
  const faults: StoreFault[] = [];
  await requireOrder(area);
  // One record stands for all with its prefix: a million records have a handful of prefixes.
  for (let place: OrderKey = { pid: '', iri: '' }; ; ) {
    const [first] = await after(area, undefined, place, 1);
    if (!first) return faults;
    const colon = first.pid.indexOf(':');
    const [start, end] =
      colon < 0 ? [first.pid, `${first.pid}\u0001`] : prefixRange(first.pid.slice(0, colon));
    const resolved = expand(first.pid);
    if (resolved !== undefined && resolved !== first.iri) {
      for await (const record of range(area, start, end)) {
        const fault = await resolve(store, record, expand(record.pid));
        if (fault) faults.push({ path: area.path, message: fault });
      }
    }
    place = { pid: end, iri: '' };
  }
}

/** Moves a record to its new IRI. @returns why it keeps the old one, if another record has the new one */
async function resolve(
  store: RecordStore,
  { revision, ...record }: StoredRecord,
  iri: string | undefined,
): Promise<string | undefined> {
  if (iri === undefined || iri === record.iri) return undefined;
  const other = await store.get(iri);
  if (other) {
    return `the record '${record.pid}' keeps the IRI '${record.iri}': the record '${other.pid}' has the IRI '${iri}'`;
  }
  const move = [
    { delete: record.iri, expect: { revisions: [revision] } },
    { put: { ...record, iri }, expect: { absent: true as const } },
  ];
  try {
    await store.write(move, BY);
  } catch (error) {
    // Another instance has moved or changed it meanwhile.
    if (!(error instanceof ServiceError) || error.code !== 'precondition_failed') throw error;
  }
  return undefined;
}

async function* range(area: DatabaseArea, start: string, end: string): AsyncGenerator<StoredRecord> {
  for (let place: OrderKey = { pid: start, iri: '' }; ; ) {
    const records = await after(area, undefined, place, PIDS_AT_ONCE);
    for (const record of records) {
      if (record.pid >= end) return;
      yield record;
    }
    if (records.length < PIDS_AT_ONCE) return;
    place = records[records.length - 1] as StoredRecord;
  }
}

/** From the first possible pid with a prefix to the first one behind all of them. */
function prefixRange(prefix: string): [string, string] {
  return [`${prefix}:`, `${prefix};`];
}
