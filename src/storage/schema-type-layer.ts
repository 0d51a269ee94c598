/**
 * The `+stl` extension: a wrapper that keeps the top-level `schema_type` out of what is stored, and puts it into what
 * is read. It works on the canonical JSON text without parsing it.
 */
import { mapInTurns } from '../jobs/turns.ts';
import type { Change, ChangeResult, Entry, RecordKey, RecordStore, StoredRecord } from './store.ts';

/** Returns the `schema_type` of a class; undefined if the schema has no such class. */
type SchemaTypeOf = (className: string) => string | undefined;

/** A store whose records rest without `schema_type` and are read with it. */
export function withSchemaTypeLayer(store: RecordStore, schemaTypeOf: SchemaTypeOf): RecordStore {
  const layer = withReading(store, (record) => {
    const schemaType = schemaTypeOf(record.className);
    return schemaType === undefined ? record.json : withSchemaType(record.json, schemaType);
  });
  return {
    ...layer,
    write: async (changes, by, ledger) => layer.write(await eachOf(changes, withoutType), by, ledger),
    restore: (entries, ledger) => layer.restore(entries.map(entryWithoutType), ledger),
  };
}

/** A store whose records hold their `schema_type` themselves; where one does not, it is read with it all the same. */
export function withSchemaTypeFilledIn(store: RecordStore, schemaTypeOf: SchemaTypeOf): RecordStore {
  return withReading(store, (record) => {
    const schemaType = schemaTypeOf(record.className);
    return schemaType === undefined ? record.json : withSchemaType(record.json, schemaType, 'keep');
  });
}

type RecordText = Pick<RecordKey, 'className'> & { readonly json: string };

/** A store like the given one, with the text of every record that comes out of it replaced. */
function withReading(store: RecordStore, textOf: (record: RecordText) => string): RecordStore {
  const read = (record: StoredRecord): StoredRecord => ({ ...record, json: textOf(record) });
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
  return { ...change, put: { ...change.put, json: withoutSchemaType(change.put.json) } };
}

function entryWithoutType(entry: Entry): Entry {
  return entry.json === null ? entry : { ...entry, json: withoutSchemaType(entry.json) };
}

/**
 * Sets `schema_type` in the canonical text of an object, at its place among the sorted keys.
 *
 * @param present what to do with one that is there.
 */
export function withSchemaType(
  json: string,
  schemaType: string,
  present: 'replace' | 'keep' = 'replace',
): string {
  const place = placeOfSchemaType(json);
  if (place.end !== undefined && present === 'keep') return json;
  const before = json.slice(0, place.start);
  const member = `"${KEY}":${JSON.stringify(schemaType)}`;
  if (place.end !== undefined) return before + member + json.slice(place.end);
  if (json[place.start] !== '}') return `${before}${member},${json.slice(place.start)}`;
  return before === '{' ? `{${member}}` : `${before},${member}}`;
}

/** Takes `schema_type` out of the canonical text of an object. */
export function withoutSchemaType(json: string): string {
  const { start, end } = placeOfSchemaType(json);
  if (end === undefined) return json;
  if (json[end] === ',') return json.slice(0, start) + json.slice(end + 1);
  const before = json[start - 1] === ',' ? start - 1 : start;
  return json.slice(0, before) + json.slice(end);
}

const KEY = 'schema_type';

/**
 * Where the member stands in a canonical text, from its key to behind its value, or (without `end`) where it belongs:
 * before the next greater key, or before the closing brace. Keys are compared as they are written: escapes, which are
 * for quotes, backslashes and control characters, stand before all letters either way.
 */
function placeOfSchemaType(json: string): { readonly start: number; readonly end?: number } {
  let start = 1;
  while (json[start] === '"') {
    const keyEnd = endOfString(json, start);
    const key = json.slice(start + 1, keyEnd);
    if (key > KEY) return { start };
    const end = endOfValue(json, keyEnd + 2);
    if (key === KEY) return { start, end };
    start = json[end] === ',' ? end + 1 : end;
  }
  return { start };
}

/** The index of the quote that closes the string whose opening quote stands at an index. */
function endOfString(json: string, open: number): number {
  let end = json.indexOf('"', open + 1);
  for (;;) {
    let escapes = 0;
    while (json[end - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return end;
    end = json.indexOf('"', end + 1);
  }
}

/** The index behind the value that begins at an index: that of a comma or a closing brace. */
function endOfValue(json: string, start: number): number {
  let depth = 0;
  for (let at = start; ; at++) {
    const sign = json[at];
    if (sign === '"') at = endOfString(json, at);
    else if (sign === '{' || sign === '[') depth += 1;
    else if (depth === 0 && (sign === ',' || sign === '}' || sign === undefined)) return at;
    else if (sign === '}' || sign === ']') depth -= 1;
  }
}
