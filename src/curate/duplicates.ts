/**
 * Curated records that may be about the same thing: pairs of them, and those with an identifier of a submission. Pairs that
 * a curator has called different are left out.
 *
 * The index of identifiers is in memory. It is built when it is first asked for, and follows the changes of the area.
 */
import { ServiceError } from '../errors.ts';
import { slices } from '../jobs/turns.ts';
import { definedRecord, resolvePid } from '../records/record.ts';
import type { StoredChange, StoredRecord } from '../storage/store.ts';
import { LONG_RECORD } from '../tasks/long-records.ts';
import { type Candidate, findPairs, pairId } from './duplicate-pairs.ts';
import { identifyingKeys, identifyingText } from './identify.ts';
import { hintsChanged, readSettings, type Settings } from './settings.ts';
import type { Actor, CollectionStores } from './stores.ts';

/** A record with identifiers. */
type Identified = { readonly pid: string; readonly keys: readonly string[] };

type Index = {
  readonly of: string;
  revision: number;
  /** By IRI. */
  readonly records: Map<string, Identified>;
  /** The IRIs of the records that have a key. */
  readonly byKey: Map<string, Set<string>>;
};

/** The pairs of an area as it was at a revision. */
type FoundPairs = { readonly of: string; readonly revision: number; readonly pairs: Promise<Candidate[]> };

/** A possible duplicate. */
export type DuplicatePair = {
  readonly records: readonly {
    readonly pid: string;
    readonly class: string;
    readonly title: string | null;
  }[];
  /** The slots with the same value, or `title`. */
  readonly by: string;
  /** 1 for an identifier, less for titles. */
  readonly score: number;
};

const COMPARED_AT_ONCE = 500;
/** Changes that a submission waits for. */
const MOST_WAITED_FOR = 5000;
/** Curated records that are named to a submission. */
const MOST_LISTED = 20;

/** The indexes of a service. */
export class Duplicates {
  readonly #indexes = new WeakMap<object, Index>();
  readonly #pairs = new WeakMap<object, FoundPairs>();

  /** The pairs of the curated area, the surest first. */
  async pairs(stores: CollectionStores): Promise<DuplicatePair[]> {
    const { curated, database } = stores;
    const candidates = await this.#candidates(stores);
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

  /** Several pages, and several curators, wait for the same reading. */
  async #candidates(stores: CollectionStores): Promise<Candidate[]> {
    const settings = await readSettings(stores);
    const of = madeWith(stores, settings);
    const revision = await stores.curated.revision();
    let found = this.#pairs.get(stores);
    if (found?.of !== of || found.revision !== revision) {
      found = { of, revision, pairs: findPairs(stores, settings) };
      this.#pairs.set(stores, found);
      found.pairs.catch(() => this.#pairs.delete(stores));
    }
    return found.pairs;
  }

  /** For each of some records that are not curated yet, the pids of curated records with one of its identifiers. */
  async findSimilar(
    stores: CollectionStores,
    records: readonly Pick<StoredRecord, 'iri' | 'className' | 'json'>[],
  ): Promise<string[][]> {
    const settings = await readSettings(stores);
    const keys = records.map((record) => keysOf(stores, settings, record));
    if (keys.every((own) => own.length === 0) || !(await this.#isReady(stores, settings)))
      return records.map(() => []);
    const index = await this.#index(stores, settings);
    return Promise.all(records.map(({ iri }, at) => similarIn(index, stores, iri, keys[at]!)));
  }

  /** A submission does not wait for the index of many records, which then is built for the next ones. */
  async #isReady(stores: CollectionStores, settings: Settings): Promise<boolean> {
    const behind = (await stores.curated.revision()) - (this.#indexes.get(stores)?.revision ?? 0);
    if (behind <= MOST_WAITED_FOR) return true;
    void this.#index(stores, settings).catch(() => {});
    return false;
  }

  async #index(stores: CollectionStores, settings: Settings): Promise<Index> {
    const of = madeWith(stores, settings);
    let index = this.#indexes.get(stores);
    if (index?.of !== of) index = { of, revision: 0, records: new Map(), byKey: new Map() };
    this.#indexes.set(stores, index);
    const breathe = slices();
    for (;;) {
      const changes = await stores.curated.changesSince(index.revision, COMPARED_AT_ONCE);
      for (const change of changes) takeIn(index, stores, settings, change);
      if (changes.length === 0) return index;
      await breathe();
    }
  }
}

/** What an index is made with, besides the records. */
function madeWith({ schema }: CollectionStores, settings: Settings): string {
  return `${schema.digest}\n${JSON.stringify(settings.identifying_slots)}`;
}

function keysOf(
  { schema }: CollectionStores,
  settings: Settings,
  record: Pick<StoredRecord, 'className' | 'json'>,
): string[] {
  return identifyingKeys(schema, settings, record.className, definedRecord(schema, record)).map(
    identifyingText,
  );
}

function takeIn(index: Index, stores: CollectionStores, settings: Settings, change: StoredChange): void {
  if (change.kind === 'delete') {
    setKeys(index, change.iri, undefined);
    index.revision = change.revision;
    return;
  }
  const { record } = change;
  // Others would wait while a long one is parsed.
  const keys = record.json.length > LONG_RECORD ? [] : keysOf(stores, settings, record);
  setKeys(index, record.iri, keys.length > 0 ? { pid: record.pid, keys } : undefined);
  index.revision = record.revision;
}

function setKeys({ records, byKey }: Index, iri: string, known: Identified | undefined): void {
  for (const text of records.get(iri)?.keys ?? []) {
    const same = byKey.get(text);
    same?.delete(iri);
    if (same?.size === 0) byKey.delete(text);
  }
  if (!known) {
    records.delete(iri);
    return;
  }
  records.set(iri, known);
  for (const text of known.keys) {
    const same = byKey.get(text);
    if (same) same.add(iri);
    else byKey.set(text, new Set([iri]));
  }
}

/** The pids of other records that have one of the keys, without those that a curator called different. */
async function similarIn(
  { records, byKey }: Index,
  { database, curated }: CollectionStores,
  iri: string,
  keys: readonly string[],
): Promise<string[]> {
  const pids: string[] = [];
  for (const other of new Set(keys.flatMap((key) => [...(byKey.get(key) ?? [])]))) {
    if (other === iri || pids.length === MOST_LISTED) continue;
    const called = await database.tuples(
      'SELECT 1 FROM accession_different WHERE area = $1 AND iri = $2 AND other = $3',
      [curated.area.id, ...[iri, other].sort()],
    );
    // The record may have been deleted meanwhile.
    const known = records.get(other);
    if (called.length === 0 && known) pids.push(known.pid);
  }
  return pids;
}

/** Remembers that two records are about different things, or forgets it. @throws ServiceError `prefix_unknown` */
export async function callDifferent(
  { schema, database, curated }: CollectionStores,
  pids: readonly [string, string],
  different: boolean,
  by: Actor,
): Promise<void> {
  const pair = pids.map((pid) => resolvePid(schema, pid)).sort();
  if (pair[0] === pair[1])
    throw new ServiceError('payload_invalid', 'body.pids: expected the pids of two records.');
  const key = [curated.area.id, ...pair];
  await database.transact(async (draft) => {
    if (different)
      draft.run(
        `INSERT INTO accession_different (area, iri, other, author, time) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (area, iri, other) DO NOTHING`,
        [...key, by.author, new Date().toISOString()],
      );
    else draft.run('DELETE FROM accession_different WHERE area = $1 AND iri = $2 AND other = $3', key);
    hintsChanged(draft, { curated });
  });
}
