/**
 * Pairs of curated records that may be about the same thing: with the same identifier or unique key, with the same title,
 * or with a title that differs by one typo. Pairs that a curator has called different are left out.
 *
 * The index is in memory. It is built when it is first asked for, and follows the changes of the area.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { definedRecord, resolvePid } from '../records/record.ts';
import { titleOf } from '../records/title.ts';
import type { LedgerChange, RecordStore, StoredRecord } from '../storage/store.ts';
import { LONG_RECORD } from '../tasks/long-records.ts';
import type { Actor, Stewarded } from './areas.ts';
import { type IdentifyingKey, identifyingKeys, titleWords, typoKeys } from './identify.ts';
import { hintsChanged, readSettings, type Settings } from './settings.ts';

type Known = {
  readonly pid: string;
  readonly iri: string;
  readonly className: string;
  readonly title: string | null;
  readonly words: readonly string[];
  readonly keys: readonly IdentifyingKey[];
};

type Index = {
  readonly of: string;
  revision: number;
  readonly records: Map<string, Known>;
  /** The IRIs of the records that have a key. */
  readonly byKey: Map<string, Set<string>>;
};

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

const SAME_TITLE = 0.9;
const TYPO_IN_TITLE = 0.8;
const COMPARED_AT_ONCE = 500;
/** Other requests have their turn after so many milliseconds. */
const TURN_MS = 10;
/** A word of more titles than these is not a typo. */
const RARE = 2;
/** Changes that a submission waits for. */
const MOST_WAITED_FOR = 5000;
/** So many curated records are named to a submission. */
const MOST_LISTED = 20;
const DIFFERENT = 'different';

/** The indexes of a service. */
export class Duplicates {
  readonly #indexes = new WeakMap<object, Index>();

  /** The pairs of the curated area, the surest first. */
  async pairs(stewarded: Stewarded): Promise<DuplicatePair[]> {
    const { records } = await this.#index(stewarded);
    const found = await candidates([...records.values()]);
    const pairs: (DuplicatePair & { id: string })[] = [];
    for (const { a, b, by, score } of found.values()) {
      const id = pairId(a.iri, b.iri);
      if (await stewarded.curated.ledger.get(DIFFERENT, id)) continue;
      const rows = [a, b].map(({ pid, className, title }) => ({ pid, class: className, title }));
      pairs.push({ records: rows, by, score, id });
    }
    pairs.sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
    return pairs.map(({ id: _, ...pair }) => pair);
  }

  /** For each of some records that are not curated yet, the pids of curated records with one of its identifiers. */
  async like(
    stewarded: Stewarded,
    records: readonly Pick<StoredRecord, 'iri' | 'className' | 'json'>[],
  ): Promise<string[][]> {
    const { curated, schema, name } = stewarded;
    const settings = await readSettings(curated, name);
    const keys = records.map((record) =>
      identifyingKeys(schema, settings, record.className, definedRecord(schema, record)).map(identifyingText),
    );
    if (keys.every((own) => own.length === 0) || !(await this.#isReady(stewarded)))
      return records.map(() => []);
    const index = await this.#index(stewarded);
    return Promise.all(records.map(({ iri }, at) => likeIn(index, curated, iri, keys[at]!)));
  }

  /** A submission does not wait for the index of many records, which then is built for the next ones. */
  async #isReady(stewarded: Stewarded): Promise<boolean> {
    const behind = (await stewarded.curated.revision()) - (this.#indexes.get(stewarded)?.revision ?? 0);
    if (behind <= MOST_WAITED_FOR) return true;
    void this.#index(stewarded).catch(() => {});
    return false;
  }

  async #index(stewarded: Stewarded): Promise<Index> {
    const { curated, schema, name } = stewarded;
    const settings = await readSettings(curated, name);
    const of = `${schema.digest}\n${JSON.stringify(settings.identifying_slots)}`;
    let index = this.#indexes.get(stewarded);
    if (index?.of !== of) index = { of, revision: 0, records: new Map(), byKey: new Map() };
    this.#indexes.set(stewarded, index);
    let turn = performance.now();
    for (;;) {
      const changes = await curated.changesSince(index.revision, COMPARED_AT_ONCE);
      for (const change of changes) {
        if (change.kind === 'delete') setKnown(index, change.iri, undefined);
        else {
          // Others would wait while it is parsed.
          const isLong = change.record.json.length > LONG_RECORD;
          const known = isLong ? undefined : knownOf(stewarded, settings, change.record);
          setKnown(index, change.record.iri, known);
        }
        index.revision = change.kind === 'delete' ? change.revision : change.record.revision;
      }
      if (changes.length === 0) return index;
      if (performance.now() - turn < TURN_MS) continue;
      await nextTurn();
      turn = performance.now();
    }
  }
}

function setKnown({ records, byKey }: Index, iri: string, known: Known | undefined): void {
  for (const key of records.get(iri)?.keys ?? []) {
    const text = identifyingText(key);
    const same = byKey.get(text);
    same?.delete(iri);
    if (same?.size === 0) byKey.delete(text);
  }
  if (!known) {
    records.delete(iri);
    return;
  }
  records.set(iri, known);
  for (const key of known.keys) {
    const text = identifyingText(key);
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

function knownOf({ schema }: Stewarded, settings: Settings, record: StoredRecord): Known {
  const { pid, iri, className } = record;
  const object = definedRecord(schema, record);
  return {
    pid,
    iri,
    className,
    title: schema.classes.has(className) ? titleOf(schema, className, object) : null,
    words: titleWords(schema, className, object),
    keys: identifyingKeys(schema, settings, className, object),
  };
}

type Candidate = { readonly a: Known; readonly b: Known; readonly by: string; readonly score: number };

function identifyingText({ by, value, unique }: IdentifyingKey): string {
  return `${unique ? `${by}\n` : ''}${value}`;
}

async function candidates(records: readonly Known[]): Promise<Map<string, Candidate>> {
  const found = new Map<string, Candidate>();
  const frequency = new Map<string, number>();
  for (const { words } of records)
    for (const word of new Set(words)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const add = (a: Known, b: Known, by: string, score: number) => {
    const id = pairId(a.iri, b.iri);
    const known = found.get(id);
    if (a.iri !== b.iri && (!known || known.score < score)) found.set(id, { a, b, by, score });
  };
  const byKey = new Map<string, Known[]>();
  const byTypo = new Map<string, { known: Known; word: string }[]>();
  let turn = performance.now();
  for (const known of records) {
    for (const key of known.keys) {
      const same = listAt(byKey, identifyingText(key));
      for (const other of same) add(other, known, key.by, 1);
      same.push(known);
    }
    if (known.words.length > 0) {
      const same = listAt(byKey, `title\n${known.className}\n${known.words.join(' ')}`);
      for (const other of same) if (!contradict(other, known)) add(other, known, 'title', SAME_TITLE);
      same.push(known);
    }
    for (const [key, word] of typoKeys(known.words)) {
      const similar = listAt(byTypo, `${known.className}\n${key}`);
      for (const other of similar) {
        const isTypo = [word, other.word].some((one) => (frequency.get(one) ?? 0) <= RARE);
        if (word !== other.word && isTypo && !contradict(other.known, known))
          add(other.known, known, 'title', TYPO_IN_TITLE);
      }
      similar.push({ known, word });
    }
    if (performance.now() - turn < TURN_MS) continue;
    await nextTurn();
    turn = performance.now();
  }
  return found;
}

/** Whether two records have different identifiers of one kind: then they are not the same, whatever their titles. */
function contradict(a: Known, b: Known): boolean {
  return a.keys.some(
    (one) =>
      b.keys.some((other) => other.by === one.by) &&
      !b.keys.some((other) => other.by === one.by && other.value === one.value),
  );
}

function listAt<T>(map: Map<string, T[]>, key: string): T[] {
  let list = map.get(key);
  if (!list) {
    list = [];
    map.set(key, list);
  }
  return list;
}

function pairId(a: string, b: string): string {
  return a < b ? `${a}\n${b}` : `${b}\n${a}`;
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
