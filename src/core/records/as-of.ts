/**
 * An area, or a zone over curated, as it was at a revision. What has not changed since is read from the present area; what
 * has is laid over it, as a zone is over the curated area, and hides the present record. So the cost is that of the changes since,
 * once, and then that of a page.
 */
import { ServiceError } from '../errors.ts';
import { inTurn } from '../in-turn.ts';
import type { Database } from '../storage/database.ts';
import type { Reader } from '../storage/reader.ts';
import {
  type ChangedSince,
  compareKeys,
  type ListedRecord,
  type Range,
  type RecordKey,
  type RecordStore,
  type Selection,
  type StoredRecord,
  type Version,
} from '../storage/store.ts';
import { Overlay, type Top } from './overlay.ts';
import type { RecordView, ReferenceSource, Referrers } from './record.ts';
import type { ShadowState } from './shadows.ts';

/** A store, and the revision that it is read at. */
export type StoreAt = { readonly store: RecordStore; readonly revision: number };

/** Records of one step of a scan. */
const SCANNED_AT_ONCE = 200;

/** The referrers of one record that are read, and after which others wait; more are never included. */
const MOST_REFERRERS = 10_000;

/** How a record of a store was, and in which store. */
type PlacedVersion = Version & { readonly store: RecordStore };

/** A view of stores as they were, those in front over the last one. It may be kept: the state that it shows never changes. */
export class AsOf implements RecordView, ReferenceSource {
  readonly #database: Pick<Database, 'snapshot'>;
  readonly #stores: readonly StoreAt[];
  readonly #followed: readonly FollowedStore[];
  /** Reads take turns: each brings the differences up to the state that it sees. */
  readonly #inTurn = inTurn();
  /** Of the present records of the last store, those that are not as they were, in order; and what was in place of them. */
  #hidden: ShadowState = { keys: [] };
  #hiddenIris: ReadonlySet<string> = new Set();
  #laid: readonly PlacedVersion[] = [];

  /** @param most changes of a store since then that lists follow; they throw `too_many_records` for more */
  constructor(
    database: Pick<Database, 'snapshot'>,
    stores: readonly StoreAt[],
    most = Number.POSITIVE_INFINITY,
  ) {
    this.#database = database;
    this.#stores = stores;
    this.#followed = stores.map((one, at) => new FollowedStore(one, at < stores.length - 1, most));
  }

  /** How many records are remembered that have changed: some 500 bytes for each. */
  get remembered(): number {
    return this.#followed.reduce((sum, { differences }) => sum + differences.size, 0);
  }

  async get(iri: string): Promise<StoredRecord | undefined> {
    return (await this.records([iri]))[0];
  }

  async records(iris: readonly string[]): Promise<readonly StoredRecord[]> {
    let found: readonly StoredRecord[] = [];
    for (const { store, revision } of this.#stores) {
      const before = new Set(found.map(({ iri }) => iri));
      const missing = before.size === 0 ? iris : iris.filter((iri) => !before.has(iri));
      found = [...found, ...(await store.former.records(missing, revision))];
    }
    return found;
  }

  /** With others that have changed since. */
  referrers(iris: readonly string[]): Promise<ReadonlyMap<string, Referrers>> {
    return this.#read(async (_, reader) => {
      const range = { offset: 0, limit: MOST_REFERRERS };
      const stores = this.#stores.map(({ store }) => store.within(reader));
      const found = new Map<string, Referrers>();
      let number = 0;
      for (const iri of iris) {
        const referring = new Set(this.#laid.map((version) => version.iri));
        let isComplete = true;
        for (const { links } of stores) {
          const references = await links.to(iri, range);
          isComplete &&= references.length < MOST_REFERRERS;
          for (const one of references) referring.add(one.iri);
        }
        found.set(iri, { iris: referring, isComplete });
        number += referring.size + 1;
        if (number > MOST_REFERRERS) break;
      }
      return found;
    });
  }

  count(selection: Selection, most?: number): Promise<number> {
    return this.#read((overlay) => overlay.count(selection, most));
  }

  list(selection: Selection, range: Range): Promise<ListedRecord[]> {
    return this.#read((overlay) => overlay.list(selection, range));
  }

  page(selection: Selection, range: Range): Promise<{ total: number; records: ListedRecord[] }> {
    return this.#read((overlay) => overlay.page(selection, range));
  }

  ready(): Promise<void> {
    return this.#read(async () => {});
  }

  async *scan(selection: Selection): AsyncIterable<ListedRecord> {
    for (let offset = 0; ; offset += SCANNED_AT_ONCE) {
      const records = await this.list(selection, { offset, limit: SCANNED_AT_ONCE });
      yield* records;
      if (records.length < SCANNED_AT_ONCE) return;
    }
  }

  #read<T>(work: (overlay: Overlay, reader: Reader) => Promise<T>): Promise<T> {
    return this.#inTurn(() =>
      this.#database.snapshot(async (reader) => {
        const base = this.#stores.at(-1)!.store.within(reader);
        await this.#follow(reader);
        const [state, iris] = [this.#hidden, this.#hiddenIris];
        const shadows = { follow: async () => state, has: (iri: string) => iris.has(iri) };
        return work(new Overlay(shadows, this.#laidOver(reader), base), reader);
      }),
    );
  }

  /** Brings the differences up to the state that a reader sees. */
  async #follow(reader: Reader): Promise<void> {
    let isChanged = false;
    for (const followed of this.#followed) isChanged = (await followed.follow(reader)) || isChanged;
    if (!isChanged) return;
    const base = this.#followed.at(-1)!;
    const laid = new Map<string, PlacedVersion>();
    const hidden = new Map<string, RecordKey>();
    for (const { iri, was, is } of base.differences.values()) {
      if (was) laid.set(iri, { ...was, store: base.store });
      if (is) hidden.set(iri, is);
    }
    for (const { differences, store } of this.#followed.slice(0, -1))
      for (const { iri, was } of differences.values()) if (was) laid.set(iri, { ...was, store });
    // A record of the last store that others cover is not shown, although it is as it was.
    const covering = [...laid.keys()].filter((iri) => !base.differences.has(iri));
    for (const key of await base.store.within(reader).present(covering)) hidden.set(key.iri, key);
    this.#laid = [...laid.values()].sort(compareKeys);
    this.#hidden = { keys: [...hidden.values()].sort(compareKeys) };
    this.#hiddenIris = new Set(hidden.keys());
  }

  #laidOver(reader: Reader): Top {
    const selected = ({ classes }: Selection) =>
      classes ? this.#laid.filter(({ className }) => classes.includes(className)) : this.#laid;
    return {
      get: async () => undefined,
      count: async (selection) => selected(selection).length,
      having: async (iris) => [...iris],
      list: (selection, { offset, limit }) =>
        withTexts(reader, selected(selection).slice(offset, offset + limit)),
      async *scan() {},
    };
  }
}

async function withTexts(reader: Reader, placed: readonly PlacedVersion[]): Promise<ListedRecord[]> {
  const texts = new Map<PlacedVersion, string>();
  for (const [store, versions] of Map.groupBy(placed, ({ store }) => store)) {
    const found = await store.within(reader).former.texts(versions);
    for (const version of versions) texts.set(version, found.get(version.revision) ?? 'null');
  }
  return placed.map((version) => {
    const { pid, iri, className } = version;
    return { pid, iri, className, json: texts.get(version)! };
  });
}

function tooManyChanges(most: number): ServiceError {
  return new ServiceError(
    'too_many_records',
    `More than ${most} changes were made since that moment: read its records one by one, or the present ones.`,
  );
}

/** The changes of a store since a revision. */
class FollowedStore {
  readonly store: RecordStore;
  /** By IRI. Of a store that covers others, every record that it had. */
  readonly differences = new Map<string, ChangedSince>();
  readonly #at: number;
  readonly #covers: boolean;
  readonly #most: number;
  #seen: number;
  #isRead = false;

  constructor({ store, revision }: StoreAt, covers: boolean, most: number) {
    this.store = store;
    this.#at = revision;
    this.#covers = covers;
    this.#most = most;
    this.#seen = revision;
  }

  /** Follows up to the state that a reader sees. @returns whether there was something to follow */
  async follow(reader: Reader): Promise<boolean> {
    const store = this.store.within(reader);
    const upTo = await store.revision();
    if (upTo === this.#seen && this.#isRead) return false;
    if (upTo - this.#at > this.#most) throw tooManyChanges(this.#most);
    const { former } = store;
    // There are revisions without a change: the IRIs of records are others then.
    if ((await former.changes(this.#seen, upTo)) < upTo - this.#seen) this.#isRead = false;
    if (!this.#isRead) {
      this.#seen = this.#at;
      this.differences.clear();
      if (this.#covers)
        for await (const { json: _, ...key } of store.scan({}))
          this.differences.set(key.iri, { iri: key.iri, was: key, is: key });
      this.#isRead = true;
    }
    for await (const found of former.differences({ at: this.#at, after: this.#seen, upTo }))
      for (const difference of found) this.differences.set(difference.iri, difference);
    this.#seen = upTo;
    return true;
  }
}
