/**
 * Curated records that may be about the same thing: pairs of them, and those with an identifier of a submission. Pairs that
 * a curator has called different are left out.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { readSettings } from '../collections/settings.ts';
import { type Actor, areasOf, type CollectionStores, type ReadStores } from '../collections/stores.ts';
import { ServiceError } from '../errors.ts';
import { MEMORY } from '../memory-bounds.ts';
import { definedRecord, resolvePid } from '../records/record.ts';
import { countSchema, listOf, objectOf, type Shape, textOrNull, textSchema } from '../shapes.ts';
import type { StoredRecord } from '../storage/store.ts';
import type { Visibility } from '../storage/visibility.ts';
import { LONG_BODY } from '../work/pool.ts';
import { changesBehind, type Projection } from '../work/projections.ts';
import { yielder } from '../yield.ts';
import { type Candidate, findPairs, pairId } from './duplicate-pairs.ts';
import {
  hasIdentifiers,
  type IdentifyingSlots,
  identifyingKeys,
  identifyingText,
  isIdentified,
} from './identify.ts';
import { rowsOfRecords } from './projections.ts';

export const duplicatesSchema = objectOf({
  items: listOf(
    objectOf({
      records: listOf(objectOf({ pid: textSchema, class: textSchema, title: textOrNull })),
      by: { ...textSchema, description: 'The slots with the same value, or `title`.' },
      score: { type: 'number', description: '1 for identifiers, less for titles.' },
    }),
  ),
  total: countSchema,
});
type DuplicatePair = Shape<typeof duplicatesSchema>['items'][number];

/** Curated records that are named to a submission. */
const MOST_LISTED = 20;
/** Longer identifiers are compared by a digest. */
const LONGEST_IDENTIFIER = 200;

/** The pairs of an area as it was at a revision. */
type FoundPairs = { readonly of: string; readonly pairs: Promise<Candidate[]> };
/** The memory of a pair, about. */
const PAIR_BYTES = 2000;

/** The pairs that were found last, by area and schema. */
export class Duplicates {
  readonly #found = new LRUCache<string, FoundPairs>({ maxSize: MEMORY.duplicates.bytes });

  /** The pairs of the curated area, the surest first. */
  async pairs(stores: CollectionStores): Promise<DuplicatePair[]> {
    const { curated, database, schema } = stores;
    const slots = await readSlots(stores);
    const of = `${versionOf(stores, slots)} ${await curated.revision()}`;
    // Several pages, and several curators, wait for the same reading.
    const key = `${curated.area.id} ${schema.digest}`;
    let found = this.#found.get(key);
    if (found?.of !== of) {
      found = { of, pairs: findPairs({ schema, curated }, slots) };
      this.#keep(key, found, 1);
      const { pairs } = found;
      const latest = found;
      pairs.then(
        ({ length }) => this.#found.get(key) === latest && this.#keep(key, latest, length + 1),
        () => this.#found.delete(key),
      );
    }
    const candidates = await found.pairs;
    const rows = await database.tuples<[string, string]>(
      'SELECT iri, other FROM accession_different WHERE area = $1',
      [curated.area.id],
    );
    const different = new Set(rows.map(([iri, other]) => pairId(iri, other)));
    return candidates
      .filter(({ a, b }) => !different.has(pairId(a.iri, b.iri)))
      .map(({ a, b, by, score }) => ({
        records: [a, b].map(({ pid, className, title }) => ({ pid, class: className, title })),
        by,
        score,
      }));
  }

  /** The size of a value that is already there would not be set again. */
  #keep(key: string, found: FoundPairs, pairs: number): void {
    this.#found.delete(key);
    this.#found.set(key, found, { size: pairs * PAIR_BYTES });
  }
}

/** Identifies everything but records that identifiers depend on. */
function versionOf({ schema }: Pick<ReadStores, 'schema'>, slots: IdentifyingSlots): string {
  return hash('sha256', `${schema.digest} ${JSON.stringify(slots)}`, 'base64url');
}

async function readSlots(
  stores: Pick<ReadStores, 'name' | 'database' | 'curated'>,
): Promise<IdentifyingSlots> {
  const settings: { readonly on_delete: string; readonly identifying_slots?: IdentifyingSlots } =
    await readSettings(stores);
  return settings.identifying_slots ?? {};
}

export function identifierProjection(stores: ReadStores): Projection {
  const { curated, schema } = stores;
  let slots: IdentifyingSlots;
  return rowsOfRecords(stores, {
    name: 'identifiers',
    async version() {
      slots = await readSlots(stores);
      return hasIdentifiers(schema, slots) ? versionOf(stores, slots) : undefined;
    },
    concerns: (path) => path === curated.area.path,
    table: 'accession_identifier',
    columns: ['value'],
    rowsOf: async (record) => identifiersOf(stores, slots, record).map((value) => [value]),
  });
}

/**
 * Identifies everything but records that {@link findSimilar} depends on, and how many changes of curated records it does not know yet.
 */
export async function similarVersion(stores: ReadStores): Promise<string> {
  const { database, curated } = stores;
  const [row] = await database.tuples<[number]>('SELECT version FROM accession_hints WHERE area = $1', [
    curated.area.id,
  ]);
  const slots = versionOf(stores, await readSlots(stores)).slice(0, 10);
  const behind = await changesBehind(database, identifierProjection(stores), curated);
  return `${row?.[0] ?? ''}.${slots}.${behind}`;
}

function identifiersOf(
  { schema }: Pick<ReadStores, 'schema'>,
  slots: IdentifyingSlots,
  record: Pick<StoredRecord, 'className' | 'json'>,
): string[] {
  // Nothing is parsed for records of a class without keys. Others would wait while a long one is parsed.
  if (!isIdentified(schema, slots, record.className) || record.json.length > LONG_BODY) return [];
  const keys = identifyingKeys(schema, slots, record.className, definedRecord(schema, record));
  const texts = keys
    .map(identifyingText)
    .map((text) => (text.length > LONGEST_IDENTIFIER ? hash('sha256', text, 'base64url') : text));
  return [...new Set(texts)];
}

/**
 * For each of some records that are not curated yet, the pids of curated records that the caller sees with one of its
 * identifiers, as far as they are known: identifiers follow the changes of curated records in the background.
 */
export async function findSimilar(
  stores: ReadStores,
  records: readonly Pick<StoredRecord, 'iri' | 'className' | 'json'>[],
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
  const sql = `SELECT DISTINCT r.pid, r.policy FROM accession_identifier i
    JOIN accession_record r ON r.area = i.area AND r.iri = i.iri
    WHERE i.collection = $1 AND i.area = $2 AND i.iri <> $3 AND ${database.dialect.among('i.value', 4)}
      AND NOT EXISTS (SELECT 1 FROM accession_different d WHERE d.area = $2
        AND (d.iri = $3 AND d.other = i.iri OR d.iri = i.iri AND d.other = $3))
    ORDER BY r.pid ${visibility ? '' : `LIMIT ${MOST_LISTED}`}`;
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
 * Remembers that two records, curated or submitted, are about different things, or forgets it.
 *
 * @throws ServiceError `prefix_unknown`, `payload_invalid`, `record_missing`
 */
export async function callDifferent(
  stores: CollectionStores,
  pids: readonly [string, string],
  different: boolean,
  by: Actor,
): Promise<void> {
  const { schema, database, curated } = stores;
  const pair = pids.map((pid) => resolvePid(schema, pid)).sort();
  if (pair[0] === pair[1])
    throw new ServiceError('payload_invalid', 'body.pids: expected the pids of two records.');
  // A statement about records that are deleted by now can still be withdrawn.
  for (const pid of different ? pids : [])
    if (!(await isStored(stores, resolvePid(schema, pid))))
      throw new ServiceError('record_missing', `The record '${pid}' does not exist.`);
  const key = [curated.area.id, ...pair];
  await database.transact(async (draft) => {
    if (different)
      draft.run(
        `INSERT INTO accession_different (area, iri, other, author, time) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (area, iri, other) DO NOTHING`,
        [...key, by.author, new Date().toISOString()],
      );
    else draft.run('DELETE FROM accession_different WHERE area = $1 AND iri = $2 AND other = $3', key);
    draft.run(
      `INSERT INTO accession_hints (area, version) VALUES ($1, 1)
       ON CONFLICT (area) DO UPDATE SET version = accession_hints.version + 1`,
      [curated.area.id],
    );
  });
}

/** Whether any area of a collection has a record. */
async function isStored(stores: CollectionStores, iri: string): Promise<boolean> {
  for (const { store } of await areasOf(stores)) if (await store.get(iri)) return true;
  return false;
}
