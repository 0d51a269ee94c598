/**
 * The `+stl` extension: a wrapper that keeps the top-level `schema_type` out of what is stored, and puts it into what
 * is read. It works on the canonical JSON text without parsing it.
 */
import type { Change, ChangeResult, RecordStore, StoredRecord } from './store.ts';

/** Gives the `schema_type` of a class; undefined for what is no class of the schema. */
type SchemaTypeOf = (className: string) => string | undefined;

/** A store whose records rest without `schema_type` and are read with it. */
export function withSchemaTypeLayer(store: RecordStore, schemaTypeOf: SchemaTypeOf): RecordStore {
  const layer = withReading(store, (record) => {
    const schemaType = schemaTypeOf(record.className);
    return schemaType === undefined ? record.json : withSchemaType(record.json, schemaType);
  });
  return { ...layer, write: (changes) => layer.write(changes.map(withoutType)) };
}

/** A store whose records hold their `schema_type` themselves; where one does not, it is read with it all the same. */
export function withSchemaTypeFilledIn(store: RecordStore, schemaTypeOf: SchemaTypeOf): RecordStore {
  return withReading(store, (record) => {
    const schemaType = schemaTypeOf(record.className);
    return schemaType === undefined ? record.json : withSchemaType(record.json, schemaType, 'keep');
  });
}

/** A store like the given one, with the text of every record that comes out of it replaced. */
function withReading(store: RecordStore, textOf: (record: StoredRecord) => string): RecordStore {
  const read = (record: StoredRecord): StoredRecord => ({ ...record, json: textOf(record) });
  return {
    get: async (iri) => {
      const record = await store.get(iri);
      return record && read(record);
    },
    list: async (selection, range) => (await store.list(selection, range)).map(read),
    count: (selection) => store.count(selection),
    rank: (selection, pid) => store.rank(selection, pid),
    present: (iris, selection) => store.present(iris, selection),
    write: async (changes) => {
      const results = await store.write(changes);
      return results.map(
        (result): ChangeResult => ({ ...result, replaced: result.replaced && read(result.replaced) }),
      );
    },
    revision: () => store.revision(),
    changesSince: async (revision, limit) => {
      const changes = await store.changesSince(revision, limit);
      return changes.map((change) =>
        change.kind === 'put' ? { ...change, record: read(change.record) } : change,
      );
    },
    async *scan(selection) {
      for await (const record of store.scan(selection)) yield read(record);
    },
    faults: () => store.faults(),
    close: () => store.close(),
  };
}

function withoutType(change: Change): Change {
  if (!('put' in change)) return change;
  return { ...change, put: { ...change.put, json: withoutSchemaType(change.put.json) } };
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
  const member = `"schema_type":${JSON.stringify(schemaType)}`;
  for (const { key, start, end } of members(json)) {
    if (key === 'schema_type')
      return present === 'keep' ? json : json.slice(0, start) + member + json.slice(end);
    if (key > 'schema_type') return `${json.slice(0, start)}${member},${json.slice(start)}`;
  }
  return json === '{}' ? `{${member}}` : `${json.slice(0, -1)},${member}}`;
}

/** Takes `schema_type` out of the canonical text of an object. */
export function withoutSchemaType(json: string): string {
  for (const { key, start, end } of members(json)) {
    if (key !== 'schema_type') continue;
    if (json[end] === ',') return json.slice(0, start) + json.slice(end + 1);
    const before = json[start - 1] === ',' ? start - 1 : start;
    return json.slice(0, before) + json.slice(end);
  }
  return json;
}

type Member = { readonly key: string; readonly start: number; readonly end: number };

/** The members of the outermost object of a canonical text, by walking from string to bracket to comma. */
function* members(json: string): Generator<Member> {
  const token = /"(?:[^"\\]+|\\.)*"|[{}[\],]/g;
  token.lastIndex = 1;
  let depth = 0;
  let start = 1;
  let key: string | undefined;
  for (let match = token.exec(json); match; match = token.exec(json)) {
    const text = match[0];
    if (text[0] === '"') {
      if (depth === 0 && key === undefined) key = JSON.parse(text) as string;
    } else if (text === '{' || text === '[') {
      depth += 1;
    } else if (depth > 0) {
      if (text !== ',') depth -= 1;
    } else {
      if (key !== undefined) yield { key, start, end: match.index };
      key = undefined;
      start = match.index + 1;
    }
  }
}
