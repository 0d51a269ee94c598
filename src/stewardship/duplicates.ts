/**
 * Curated records that may be about the same thing: pairs of them, and those with an identifier of a submission. Pairs that
 * a curator has called different are left out.
 *
 * The index of identifiers is in memory. It is built when it is first asked for, and follows the changes of the area.
 */
import { ServiceError } from '../errors.ts';
import { slices } from '../jobs/turns.ts';
import { definedRecord, resolvePid } from '../records/record.ts';
import type { LedgerChange, RecordStore, StoredChange, StoredRecord } from '../storage/store.ts';
import { LONG_RECORD } from '../tasks/long-records.ts';
import type { Actor, Stewarded } from './areas.ts';
import { type Candidate, findPairs, pairId } from './duplicate-pairs.ts';
import { identifyingKeys, identifyingText } from './identify.ts';
import { hintsChanged, readSettings, type Settings } from './settings.ts';

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
/** So many curated records are named to a submission. */
const MOST_LISTED = 20;
const DIFFERENT = 'different';

/** The indexes of a service. */
export class Duplicates {
  readonly #indexes = new WeakMap<object, Index>();
  readonly #pairs = new WeakMap<object, FoundPairs>();

  /** The pairs of the curated area, the surest first. */
  async pairs(stewarded: Stewarded): Promise<DuplicatePair[]> {
    const { curated } = stewarded;
    const breathe = slices();
    const pairs: DuplicatePair[] = [];
    for (const { a, b, by, score } of await this.#candidates(stewarded)) {
      await breathe();
      if (await curated.ledger.get(DIFFERENT, pairId(a.iri, b.iri))) continue;
      const records = [a, b].map(({ pid, className, title }) => ({ pid, class: className, title }));
      pairs.push({ records, by, score });
    }
    return pairs;
  }

  /** Several pages, and several curators, wait for the same reading. */
  async #candidates(stewarded: Stewarded): Promise<Candidate[]> {
    const { curated, name } = stewarded;
    const settings = await readSettings(curated, name);
    const of = madeWith(stewarded, settings);
    const revision = await curated.revision();
    let found = this.#pairs.get(stewarded);
    if (found?.of !== of || found.revision !== revision) {
      found = { of, revision, pairs: findPairs(stewarded, settings) };
      this.#pairs.set(stewarded, found);
      found.pairs.catch(() => this.#pairs.delete(stewarded));
    }
    return found.pairs;
  }

  /** For each of some records that are not curated yet, the pids of curated records with one of its identifiers. */
  async like(
    stewarded: Stewarded,
    records: readonly Pick<StoredRecord, 'iri' | 'className' | 'json'>[],
  ): Promise<string[][]> {
    const { curated, name } = stewarded;
    const settings = await readSettings(curated, name);
    const keys = records.map((record) => keysOf(stewarded, settings, record));
    if (keys.every((own) => own.length === 0) || !(await this.#isReady(stewarded, settings)))
      return records.map(() => []);
    const index = await this.#index(stewarded, settings);
    return Promise.all(records.map(({ iri }, at) => likeIn(index, curated, iri, keys[at]!)));
  }

  /** A submission does not wait for the index of many records, which then is built for the next ones. */
  async #isReady(stewarded: Stewarded, settings: Settings): Promise<boolean> {
    const behind = (await stewarded.curated.revision()) - (this.#indexes.get(stewarded)?.revision ?? 0);
    if (behind <= MOST_WAITED_FOR) return true;
    void this.#index(stewarded, settings).catch(() => {});
    return false;
  }

  async #index(stewarded: Stewarded, settings: Settings): Promise<Index> {
    const of = madeWith(stewarded, settings);
    let index = this.#indexes.get(stewarded);
    if (index?.of !== of) index = { of, revision: 0, records: new Map(), byKey: new Map() };
    this.#indexes.set(stewarded, index);
    const breathe = slices();
    for (;;) {
      const changes = await stewarded.curated.changesSince(index.revision, COMPARED_AT_ONCE);
      for (const change of changes) takeIn(index, stewarded, settings, change);
      if (changes.length === 0) return index;
      await breathe();
    }
  }
}

/** What an index is made with, besides the records. */
function madeWith({ schema }: Stewarded, settings: Settings): string {
  return `${schema.digest}\n${JSON.stringify(settings.identifying_slots)}`;
}

function keysOf(
  { schema }: Stewarded,
  settings: Settings,
  record: Pick<StoredRecord, 'className' | 'json'>,
): string[] {
  return identifyingKeys(schema, settings, record.className, definedRecord(schema, record)).map(
    identifyingText,
  );
}

function takeIn(index: Index, stewarded: Stewarded, settings: Settings, change: StoredChange): void {
  if (change.kind === 'delete') {
    setKeys(index, change.iri, undefined);
    index.revision = change.revision;
    return;
  }
  const { record } = change;
  // Others would wait while a long one is parsed.
  const keys = record.json.length > LONG_RECORD ? [] : keysOf(stewarded, settings, record);
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
async function likeIn(
  { records, byKey }: Index,
  { ledger }: RecordStore,
  iri: string,
  keys: readonly string[],
): Promise<string[]> {
  const pids: string[] = [];
  for (const other of new Set(keys.flatMap((key) => [...(byKey.get(key) ?? [])]))) {
    if (other === iri || pids.length === MOST_LISTED) continue;
    const isDifferent = (await ledger.get(DIFFERENT, pairId(iri, other))) !== undefined;
    // The record may have been deleted meanwhile.
    const known = records.get(other);
    if (!isDifferent && known) pids.push(known.pid);
  }
  return pids;
}

/** Remembers that two records are about different things, or forgets it. @throws ServiceError `prefix_unknown` */
export async function callDifferent(
  { schema, curated }: Stewarded,
  pids: readonly [string, string],
  different: boolean,
  by: Actor,
): Promise<void> {
  const [a, b] = pids.map((pid) => resolvePid(schema, pid)) as [string, string];
  if (a === b) throw new ServiceError('payload_invalid', 'body.pids: expected the pids of two records.');
  const row = { kind: DIFFERENT, id: pairId(a, b) };
  const json = JSON.stringify({ by: by.author, time: new Date().toISOString() });
  const called: LedgerChange = different ? { set: { ...row, keys: [], json } } : { remove: row };
  await curated.write([], by, [called, hintsChanged()]);
}
