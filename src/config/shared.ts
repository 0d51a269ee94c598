/**
 * The configuration in a store that several instances write, or that other processes follow.
 *
 * An instance keeps a collection as it runs if nothing about it was set. Setting a collection to what it was has its
 * schema read again, which its configuration does not show; the ledger therefore has a row for each collection that
 * changes with every setting.
 */
import { canonicalJson, type JsonValue } from '../json.ts';
import type { Change, Expectation, LedgerRow, RecordStore } from '../storage/store.ts';
import { type Configuration, mapEntries } from './config.ts';
import { CONFIGURATION_PID, type Persistent, readPersistent, STATE_PID } from './record.ts';

export type StoredState = {
  readonly persistent: Persistent;
  /** The revision of the store. */
  readonly revision: number;
  /** The revisions of its records; 0 for one that is missing. */
  readonly revisions: ReadonlyMap<string, number>;
  /** Of each collection a value that changes when it is set. */
  readonly settings: ReadonlyMap<string, string>;
};

const COLLECTION_KIND = 'collection';
const MOST_COLLECTIONS = 100_000;

/** Reads all of it as of one revision. */
export async function readStored(store: RecordStore): Promise<StoredState> {
  for (;;) {
    const revision = await store.revision();
    const persistent = await readPersistent(store);
    const pids = [CONFIGURATION_PID, STATE_PID];
    const records = await Promise.all(pids.map((pid) => store.get(pid)));
    const rows = await store.ledger.list({ kind: COLLECTION_KIND, limit: MOST_COLLECTIONS });
    if ((await store.revision()) !== revision) continue;
    return {
      persistent,
      revision,
      revisions: new Map(pids.map((pid, index) => [pid, records[index]?.revision ?? 0])),
      settings: new Map(rows.map(({ id, json }) => [id, JSON.parse(json) as string])),
    };
  }
}

export function settingRow(collection: string, value: string): LedgerRow {
  return { kind: COLLECTION_KIND, id: collection, keys: [], json: JSON.stringify(value) };
}

/** A change is made only to what this instance knows. */
export function expectationOf(change: Change, { revisions }: StoredState): Expectation {
  const revision = 'put' in change ? revisions.get(change.put.iri) : undefined;
  return revision ? { revisions: [revision] } : { absent: true };
}

/** What is stored after a write of this instance. The configuration in it is that of the caller. */
export function afterWrite(
  before: StoredState,
  changes: readonly Change[],
  written: readonly number[],
  settings: ReadonlyMap<string, string>,
): StoredState {
  const revisions = new Map(before.revisions);
  for (const [index, change] of changes.entries()) {
    if ('put' in change) revisions.set(change.put.iri, written[index] ?? 0);
  }
  return { ...before, revision: written.at(-1) ?? before.revision, revisions, settings };
}

/** The stored configuration, with the objects of the running one for collections that were not set since. */
export function withKept(stored: StoredState, before: StoredState, running: Configuration): Configuration {
  const { configuration } = stored.persistent;
  const collections = mapEntries(configuration.collections, (config, name) => {
    const former = Object.hasOwn(running.collections, name) ? running.collections[name] : undefined;
    if (!former || stored.settings.get(name) !== before.settings.get(name)) return config;
    return sameJson(former, config) ? former : config;
  });
  return { ...configuration, collections };
}

function sameJson(a: unknown, b: unknown): boolean {
  return canonicalJson(a as JsonValue) === canonicalJson(b as JsonValue);
}
