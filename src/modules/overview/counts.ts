/**
 * The counts that are kept: of the curated records of a class and a policy, how many have a value of a slot. They follow the entries
 * behind a cursor. A reader adds what has changed since, so the counts of a request are those of its moment.
 */
import { isJsonObject, parseJson } from '#linkml/json.ts';
import type { Collection } from '../../core/collections/collection.ts';
import { readCursor } from '../../core/storage/cursors.ts';
import type { Reader } from '../../core/storage/reader.ts';
import { isFilled } from '../../core/storage/search/indexed-values.ts';
import type { ReadStore } from '../../core/storage/store.ts';
import { type PolicyTag, policyColumn, type Visibility } from '../../core/storage/visibility.ts';
import { cursorOf, type Projection } from '../../core/work/projections.ts';
import { yielder } from '../../core/yield.ts';

const NAME = 'overview';
/** Raised if records are counted differently. */
const VERSION = '1';
/** Changes behind the counts, and records of a zone, that a request adds to them. */
const MOST_ADDED = 1000;
const READ_AT_ONCE = 100;

type Counted = { readonly className: string; readonly json: string };

export function cursorOfCounts({ name }: Pick<Collection, 'name'>): string {
  return cursorOf({ name: NAME, collection: name } as Projection);
}

/** Undefined while it is not known which annotation names the policies of records. */
function versionOf({ policies }: Collection): string | undefined {
  if (policies && !policies.isOpen && !policies.known()) return undefined;
  return `${VERSION} ${tagOf(policies)?.id ?? ''}`;
}

function tagOf(policies: Collection['policies']): PolicyTag | undefined {
  return policies?.known()?.tag;
}

const BEGIN = 'DELETE FROM accession_overview_count WHERE area = $1 AND collection = $2';
const KEY = 'area = $1 AND collection = $2 AND policy = $3 AND class_name = $4 AND slot = $5';
const ADD = `INSERT INTO accession_overview_count (area, collection, policy, class_name, slot, records)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (area, collection, policy, class_name, slot)
    DO UPDATE SET records = accession_overview_count.records + excluded.records`;
const REMOVE = `DELETE FROM accession_overview_count WHERE ${KEY} AND records = 0`;

export function countProjection(collection: Collection): Projection {
  const { name, curated, policies } = collection;
  return {
    name: NAME,
    collection: name,
    places: [curated.area.path],
    reads: 'entries',
    version: async () => versionOf(collection),
    begin: (draft) => draft.run(BEGIN, [draft.area.id, name]),
    async apply(entries, draft) {
      const tag = tagOf(policies);
      const changes = new Map<string, number>();
      const add = async ({ className, json }: Counted, by: 1 | -1) => {
        await draft.yieldIfDue();
        const policy = tag ? policyColumn(json, [tag]) : '';
        for (const slot of slotsIn(json)) {
          const key = JSON.stringify([policy, className, slot]);
          changes.set(key, (changes.get(key) ?? 0) + by);
        }
      };
      const last = new Map(entries.map((entry) => [entry.iri, entry]));
      for await (const former of formerly(curated, [...last.keys()], entries[0]!.revision - 1))
        await add(former, -1);
      for (const { className, json } of last.values()) if (json !== null) await add({ className, json }, 1);
      for (const [key, by] of changes) {
        if (by === 0) continue;
        const values = [draft.area.id, name, ...(JSON.parse(key) as [string, string, string])];
        draft.run(ADD, [...values, by]);
        if (by < 0) draft.run(REMOVE, values);
      }
    },
  };
}

/** The slots with a value, as the filter `filled` finds them. */
function slotsIn(json: string): string[] {
  const record = parseJson(json);
  if (!isJsonObject(record)) return [];
  return Object.keys(record).filter((slot) => isFilled(record, slot));
}

async function* formerly(store: ReadStore, iris: readonly string[], at: number): AsyncGenerator<Counted> {
  for (let from = 0; from < iris.length; from += READ_AT_ONCE)
    yield* await store.former.records(iris.slice(from, from + READ_AT_ONCE), at);
}

type KeptQuery = {
  /** The records of these classes; undefined for all. */
  readonly classes: readonly string[] | undefined;
  readonly visibility: Visibility | undefined;
  /** The zone that is read over the curated area. */
  readonly zone: ReadStore | undefined;
};

/**
 * How many records have a value of each slot, by the kept counts.
 *
 * @returns undefined if the counts have to follow too many changes first, or the zone has too many records
 */
export function keptCounts(
  collection: Collection,
  query: KeptQuery,
): Promise<ReadonlyMap<string, number> | undefined> {
  return collection.database.snapshot((reader) => readCounts(collection, query, reader));
}

async function readCounts(
  collection: Collection,
  { classes, visibility, zone }: KeptQuery,
  reader: Reader,
): Promise<ReadonlyMap<string, number> | undefined> {
  const { name, database, policies } = collection;
  const curated = collection.curated.within(reader);
  const [reached, version] = (await readCursor(reader, cursorOfCounts(collection), curated.area.id)) ?? [];
  if (reached === undefined || version !== versionOf(collection)) return undefined;
  const changes = await curated.entries({ after: reached, limit: MOST_ADDED + 1 });
  const own = zone?.within(reader);
  if (changes.length > MOST_ADDED || ((await own?.count({})) ?? 0) > MOST_ADDED) return undefined;

  const counts = new Map<string, number>();
  const add = (slot: string, records: number) => counts.set(slot, (counts.get(slot) ?? 0) + records);
  const area = [curated.area.id, name];
  const kinds = await reader.tuples<[policy: string, className: string]>(KINDS, area);
  const { dialect } = database;
  const ofPolicies = new Map<string, string[]>();
  for (const [policy, className] of kinds)
    if ((visibility?.sees(policy) ?? true) && (classes?.includes(className) ?? true))
      ofPolicies.set(policy, [...(ofPolicies.get(policy) ?? []), className]);
  for (const [policy, of] of ofPolicies) {
    const sql = `SELECT slot, CAST(sum(records) AS BIGINT) FROM accession_overview_count
      WHERE area = $1 AND collection = $2 AND policy = $3 AND ${dialect.among('class_name', 4)} GROUP BY slot`;
    for (const [slot, records] of await reader.tuples<[string, number]>(sql, [...area, policy, of]))
      add(slot, records);
  }

  const tag = tagOf(policies);
  const yieldIfDue = yielder();
  const addRecord = async ({ className, json }: Counted, by: 1 | -1) => {
    await yieldIfDue();
    const policy = tag ? policyColumn(json, [tag]) : '';
    if (!(visibility?.sees(policy) ?? true) || !(classes?.includes(className) ?? true)) return;
    for (const slot of slotsIn(json)) add(slot, by);
  };
  const changed = [...new Set(changes.map(({ iri }) => iri))];
  for await (const former of formerly(curated, changed, reached)) await addRecord(former, -1);
  for await (const record of curated.records(changed)) await addRecord(record, 1);
  if (own) {
    const iris: string[] = [];
    for await (const record of own.scan({})) {
      iris.push(record.iri);
      await addRecord(record, 1);
    }
    // The zone hides these.
    for await (const record of curated.records(iris)) await addRecord(record, -1);
  }
  return counts;
}

const KINDS =
  'SELECT DISTINCT policy, class_name FROM accession_overview_count WHERE area = $1 AND collection = $2';
