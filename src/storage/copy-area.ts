/** Copies an area into another store, of whatever backend, and compares the two. */
import { createHash, type Hash } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { DERIVED_LEDGER_KINDS, type Entry, type LedgerRow, type RecordStore } from './store.ts';

/** What an area has, and a digest of all of it. */
export type AreaSummary = {
  readonly records: number;
  readonly entries: number;
  readonly ledgerRows: number;
  readonly revision: number;
  readonly digest: string;
};

export type CopyStep = 'copy' | 'verify';

export type CopyProgress = (step: CopyStep, done: number, total: number) => void;

/** Entries and rows copied at a time. */
const ENTRIES_COPIED_AT_ONCE = 500;

/**
 * Copies entries, which make the records, and ledger rows. A copy that was interrupted continues where it stopped.
 * Memory does not grow with the area. No other program may write to either area meanwhile.
 *
 * @returns what both areas have now
 * @throws ServiceError `store_incompatible` if the target has changes that the source has not, or if the areas differ
 *   after the copy
 */
export async function copyArea(
  source: RecordStore,
  target: RecordStore,
  progress: CopyProgress = () => {},
): Promise<AreaSummary> {
  const total = await source.revision();
  let done = await target.revision();
  if (done > 0) await requireSameUpTo(source, target, done);
  for (;;) {
    const entries = await source.entries({ after: done, limit: ENTRIES_COPIED_AT_ONCE });
    const last = entries.at(-1);
    if (!last) break;
    await target.restore(entries);
    done = last.revision;
    progress('copy', done, total);
  }
  for await (const rows of ledgerPages(source)) await target.restore([], rows);
  const [original, copy] = [
    await summarize(source, (entries) => progress('verify', entries, 2 * total)),
    await summarize(target, (entries) => progress('verify', total + entries, 2 * total)),
  ];
  const differences = (Object.keys(original) as (keyof AreaSummary)[])
    .filter((name) => original[name] !== copy[name])
    .map((name) => `${name}: ${original[name]} in the source, ${copy[name]} in the target`);
  if (differences.length === 0) return copy;
  throw new ServiceError(
    'store_incompatible',
    `The copy differs from its source (${differences.join('; ')}). Copy into an empty store.`,
  );
}

/** Counts what an area has, and reads all of it for the digest. */
export async function summarize(
  store: RecordStore,
  progress: (entries: number) => void = () => {},
): Promise<AreaSummary> {
  const hash = createHash('sha256');
  const revision = await store.revision();
  let [records, entries, ledgerRows] = [0, 0, 0];
  for await (const { iri, pid, className, json, revision } of store.scan({})) {
    addToHash(hash, [iri, pid, className, json, revision]);
    records += 1;
  }
  for (let after = 0; ; ) {
    const page = await store.entries({ after, limit: ENTRIES_COPIED_AT_ONCE });
    for (const entry of page) addToHash(hash, fields(entry));
    entries += page.length;
    progress(page.at(-1)?.revision ?? revision);
    if (page.length < ENTRIES_COPIED_AT_ONCE) break;
    after = page.at(-1)?.revision ?? after;
  }
  for await (const rows of ledgerPages(store)) {
    for (const { kind, id, keys, json } of rows) addToHash(hash, [kind, id, [...keys].sort(), json]);
    ledgerRows += rows.length;
  }
  const counted = await store.count({});
  if (counted !== records) addToHash(hash, ['count', counted]);
  return { records, entries, ledgerRows, revision, digest: hash.digest('hex') };
}

function addToHash(hash: Hash, values: readonly unknown[]): void {
  hash.update(JSON.stringify(values));
  hash.update('\n');
}

function fields({
  revision,
  iri,
  pid,
  className,
  kind,
  time,
  committer,
  author,
  role,
  json,
  ...note
}: Entry) {
  const { reason, decision, batch, message, base } = note;
  return [
    ...[revision, iri, pid, className, kind, time, committer, author, role, json],
    ...[reason, decision, batch, message, base?.etag, base?.className, base?.json],
  ];
}

/** A target that has something has to have it from this source. */
async function requireSameUpTo(source: RecordStore, target: RecordStore, revision: number): Promise<void> {
  const last = { after: revision - 1, before: revision + 1, limit: 1 };
  const [[original], [copy]] = [await source.entries(last), await target.entries(last)];
  if (original && copy && original.iri === copy.iri && original.time === copy.time) return;
  throw new ServiceError(
    'store_incompatible',
    `The target is not empty, and its revision ${revision} is not a copy of the source. Copy into an empty store.`,
  );
}

async function* ledgerPages(store: RecordStore): AsyncGenerator<LedgerRow[]> {
  let last: LedgerRow | undefined;
  do {
    const rows = await store.ledger.all(last, ENTRIES_COPIED_AT_ONCE);
    const own = rows.filter(({ kind }) => !DERIVED_LEDGER_KINDS.has(kind));
    if (own.length > 0) yield own;
    last = rows.length < ENTRIES_COPIED_AT_ONCE ? undefined : rows.at(-1);
  } while (last);
}
