/**
 * The `+stl` extension: a wrapper that keeps the top-level `schema_type` out of what is stored, and puts it into what
 * is read. It works on the canonical JSON text without parsing it.
 */
import { mapInTurns } from '../jobs/turns.ts';
import { addSchemaType, removeSchemaType } from '../schema-type.ts';
import type { Change, ChangeResult, Entry, JointWrites, RecordKey, RecordStore } from './store.ts';
import type { Naming } from './store-handles.ts';

type SchemaTypeOf = Naming['schemaTypeOf'];

/** A store whose records rest without `schema_type` and are read with it. */
export function withSchemaTypeLayer(store: RecordStore, schemaTypeOf: SchemaTypeOf): RecordStore {
  const layer = withReading(store, (record) => {
    const schemaType = schemaTypeOf(record.className);
    return schemaType === undefined ? record.json : addSchemaType(record.json, schemaType);
  });
  return {
    ...layer,
    write: (changes, by, ledger) => {
      const stored = eachOf(changes, withoutType);
      // A write that only waits for a microtask would be missed by a close that follows it.
      if (stored instanceof Promise) return stored.then((all) => layer.write(all, by, ledger));
      return layer.write(stored, by, ledger);
    },
    ...(store.joint && { joint: withoutTypes(store.joint) }),
    restore: (entries, ledger) => layer.restore(entries.map(entryWithoutType), ledger),
  };
}

/** A store whose records contain their `schema_type`; if one does not, it is added on reading. */
export function withSchemaTypeFilledIn(store: RecordStore, schemaTypeOf: SchemaTypeOf): RecordStore {
  return withReading(store, (record) => {
    const schemaType = schemaTypeOf(record.className);
    return schemaType === undefined ? record.json : addSchemaType(record.json, schemaType, 'keep');
  });
}

type RecordText = Pick<RecordKey, 'className'> & { readonly json: string };

/** A store like the given one, with the text of every record that comes out of it replaced. */
function withReading(store: RecordStore, textOf: (record: RecordText) => string): RecordStore {
  const read = <T extends RecordText>(record: T): T => ({ ...record, json: textOf(record) });
  const readEntry = (entry: Entry): Entry => {
    const { className, json } = entry;
    return json === null ? entry : { ...entry, json: textOf({ className, json }) };
  };
  return {
    ...store,
    get: async (iri) => {
      const record = await store.get(iri);
      return record && read(record);
    },
    list: async (selection, range) => (await store.list(selection, range)).map(read),
    entries: async (query) => (await store.entries(query)).map(readEntry),
    write: async (changes, by, ledger) => {
      const results = await store.write(changes, by, ledger);
      return eachOf(
        results,
        (result): ChangeResult => ({ ...result, replaced: result.replaced && read(result.replaced) }),
      );
    },
    changesSince: async (revision, limit) => {
      const changes = await store.changesSince(revision, limit);
      return changes.map((change) =>
        change.kind === 'put' ? { ...change, record: read(change.record) } : change,
      );
    },
    async *scan(selection) {
      for await (const record of store.scan(selection)) yield read(record);
    },
  };
}

/** Longer lists are mapped in slices. Short ones at once, so that a write is queued when it is asked for. */
const MOST_AT_ONCE = 500;

function eachOf<T, R>(items: readonly T[], make: (item: T) => R): R[] | Promise<R[]> {
  return items.length <= MOST_AT_ONCE ? items.map(make) : mapInTurns(items, make);
}

function withoutType(change: Change): Change {
  if (!('put' in change)) return change;
  return { ...change, put: { ...change.put, json: removeSchemaType(change.put.json) } };
}

function withoutTypes(joint: JointWrites): JointWrites {
  return { ...joint, part: (write) => joint.part({ ...write, changes: write.changes.map(withoutType) }) };
}

function entryWithoutType(entry: Entry): Entry {
  return entry.json === null ? entry : { ...entry, json: removeSchemaType(entry.json) };
}
