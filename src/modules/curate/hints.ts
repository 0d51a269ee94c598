/**
 * Hints about records that are, or would be, stored: references to records that do not exist, and curated records with the same
 * identifiers.
 */
import type { Collection } from '../../core/collections/collection.ts';
import { missingTargets } from '../../core/collections/links.ts';
import type { HintedItem, HintedRecord, Hints, ItemHints } from '../../core/collections/part.ts';
import type { ReadStores } from '../../core/collections/stores.ts';
import { linksOf } from '../../core/records/links.ts';
import { definedRecord, targetsOf } from '../../core/records/record.ts';
import { ofRecord } from '../../core/storage/read/records.ts';
import type { ReadStore } from '../../core/storage/store.ts';
import type { Visibility } from '../../core/storage/visibility.ts';
import { changesBehind } from '../../core/work/projections.ts';
import { yielder } from '../../core/yield.ts';
import { identifiersOf, readSlots, versionOf } from './identifiers.ts';
import { identifierProjection } from './projection.ts';

export function hintsOf(collection: Collection): Hints {
  return {
    async of(items, visibility) {
      const dangling = await missingFrom(collection, items, visibility);
      const own = items.flatMap(({ records: [first] }) => first ?? []);
      const duplicates = await findSimilar(collection, own, visibility);
      return items.map((_, at): ItemHints => ({ dangling: dangling[at]!, duplicates: duplicates[at]! }));
    },
    version: () => hintsVersion(collection),
  };
}

/** For each item, the IRIs that it refers to, of which neither the items of its zone, nor the zone, nor the curated area have a record. */
async function missingFrom(
  collection: Collection,
  items: readonly HintedItem[],
  visibility: Visibility | undefined,
): Promise<string[][]> {
  const { schema, curated, zones } = collection;
  const yieldIfDue = yielder();
  const targets: Set<string>[] = [];
  for (const { records } of items) {
    const own = new Set<string>();
    for (const record of records) {
      for (const iri of targetsIn(schema, record)) {
        own.add(iri);
        await yieldIfDue();
      }
    }
    targets.push(own);
  }
  const missingIn = async (iris: Iterable<string>, store: ReadStore) =>
    new Set(await missingTargets(iris, [await collection.seen(store, visibility)]));
  const notCurated = await missingIn(new Set(targets.flatMap((own) => [...own])), curated);
  const missing: string[][] = targets.map(() => []);
  // Most zones are not asked: what their records refer to is curated.
  for (const [label, positions] of Map.groupBy(items.keys(), (at) => items[at]!.label)) {
    const wanted = new Set(positions.flatMap((at) => [...targets[at]!].filter((iri) => notCurated.has(iri))));
    for (const at of positions) for (const { iri } of items[at]!.records) wanted.delete(iri);
    if (wanted.size === 0) continue;
    const zone = label === undefined || !zones.exist ? undefined : await zones.existing(label);
    const left = zone ? await missingIn(wanted, zone.store) : wanted;
    for (const at of positions) missing[at] = [...targets[at]!].filter((iri) => left.has(iri));
  }
  return missing;
}

/** The targets of the references of a record, which its links have, if they were read. */
function targetsIn(schema: ReadStores['schema'], record: HintedRecord): Iterable<string> {
  if (record.links !== undefined) return targetsOf(record);
  return linksOf(schema, record.className, definedRecord(schema, record)).map(({ iri }) => iri);
}

/** Curated records that are named to an item. */
const MOST_LISTED = 20;

/**
 * For each of some records that are not curated yet, the pids of curated records that the caller sees with one of its
 * identifiers, as far as they are known: identifiers follow the changes of curated records in the background.
 */
async function findSimilar(
  stores: ReadStores,
  records: readonly HintedRecord[],
  visibility?: Visibility,
): Promise<string[][]> {
  const { name, database, curated } = stores;
  const slots = await readSlots(stores);
  const yieldIfDue = yielder();
  const identifiers: string[][] = [];
  for (const record of records) {
    identifiers.push(identifiersOf(stores, slots, record));
    await yieldIfDue();
  }
  if (identifiers.every((own) => own.length === 0)) return records.map(() => []);
  const sql = `SELECT DISTINCT pid, policy FROM (
      SELECT ${ofRecord('pid', 'i.area', 'i.iri')} AS pid, ${ofRecord('policy', 'i.area', 'i.iri')} AS policy
      FROM accession_identifier i
      WHERE i.collection = $1 AND i.area = $2 AND i.iri <> $3 AND ${database.dialect.among('i.value', 4)}
        AND NOT EXISTS (SELECT 1 FROM accession_different d WHERE d.area = $2
          AND (d.iri = $3 AND d.other = i.iri OR d.iri = i.iri AND d.other = $3))
    ) s WHERE pid IS NOT NULL ORDER BY pid ${visibility ? '' : `LIMIT ${MOST_LISTED}`}`;
  return Promise.all(
    records.map(async ({ iri }, at) => {
      const own = identifiers[at]!;
      if (own.length === 0) return [];
      const rows = await database.tuples<[pid: string, policy: string]>(sql, [
        name,
        curated.area.id,
        iri,
        own,
      ]);
      const seen = rows.filter(([, policy]) => visibility?.sees(policy) ?? true);
      return seen.slice(0, MOST_LISTED).map(([pid]) => pid);
    }),
  );
}

/**
 * Identifies everything but records that hints depend on, and how many changes of curated records they do not know yet.
 */
async function hintsVersion(stores: ReadStores): Promise<string> {
  const { database, curated } = stores;
  // Asked first: what it is behind then, the version has now at the most.
  const behind = await changesBehind(database, identifierProjection(stores), curated);
  const [row] = await database.tuples<[number]>('SELECT version FROM accession_hints WHERE area = $1', [
    curated.area.id,
  ]);
  const slots = versionOf(stores, await readSlots(stores)).slice(0, 10);
  return `${row?.[0] ?? ''}.${slots}.${behind}`;
}
