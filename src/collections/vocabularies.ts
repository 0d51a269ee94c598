/**
 * Snapshots of vocabularies: taken from their sources in threads, kept in the database, where every instance and every copy
 * of the store has them, and opened once for all collections that use them.
 */
import type { Entries, VocabularyConfig } from '../config/config.ts';
import { KEEP, TIMEOUT } from '../durations.ts';
import { ServiceError } from '../errors.ts';
import type { Schema } from '../schema/schema.ts';
import type { Database } from '../storage/database.ts';
import { addParts, readParts, SNAPSHOT_PARTS, WRITTEN_AT_ONCE } from '../storage/parts.ts';
import type { Reader } from '../storage/reader.ts';
import type { StoredRecord } from '../storage/store.ts';
import { openSnapshot, type Snapshot } from '../vocabularies/snapshot.ts';
import type { Pool } from '../work/pool.ts';
import { snapshotOf, snapshotOfRecords, type TakenSnapshot } from '../work/tasks.ts';
import { yielder } from '../yield.ts';

/** Records that are the terms of a vocabulary. */
export type RecordsOf = { readonly schema: Schema; readonly records: AsyncIterable<StoredRecord> };

export type OpenVocabularies = {
  readonly terms: Readonly<Record<string, Snapshot>>;
  /** The names of those without a snapshot: their terms are not enforced. */
  readonly missing: readonly string[];
};

type VocabulariesParts = {
  readonly database: Database;
  readonly pool: Pool;
  /** The hosts on this machine or link that may be asked; undefined lets all. */
  readonly hosts: readonly string[] | undefined;
  /** Where a source is read. @throws ServiceError `schema_invalid` */
  readonly locate: (source: string) => URL;
  /** The records of a source such as `collection/Class`. @throws ServiceError `schema_invalid` */
  readonly recordsOf: (source: string) => Promise<RecordsOf>;
  /** The digests of the snapshots in force. */
  readonly inForce: () => ReadonlySet<string>;
};

/** The bytes that a source may have when it is unpacked. */
const MOST_BYTES = 2 ** 31;

export class Vocabularies {
  readonly #parts: VocabulariesParts;
  readonly #open: OpenSnapshots = new Map();

  constructor(parts: VocabulariesParts) {
    this.#parts = parts;
  }

  /** The vocabularies of a configuration. */
  open(configured: Entries<VocabularyConfig> | undefined): Promise<OpenVocabularies> {
    return openVocabularies(this.#parts.database, configured, this.#open);
  }

  /**
   * Takes the source of a vocabulary as it is now, and keeps the snapshot.
   *
   * @returns the vocabulary with this snapshot; as it is, if it has the same terms already
   * @throws ServiceError `schema_invalid`: it cannot be read; `busy`, `task_timeout`
   */
  async take(vocabulary: VocabularyConfig): Promise<VocabularyConfig> {
    const { snapshot: former } = vocabulary;
    const taken = await this.#taken(vocabulary);
    const snapshot = openSnapshot(taken.bytes);
    const before = former && (await openStored(this.#parts.database, former, this.#open));
    if (before && before.digest === snapshot.digest) return vocabulary;
    await this.#keep(taken);
    this.#open.set(taken.digest, new WeakRef(snapshot));
    return { ...vocabulary, snapshot: taken.digest };
  }

  async #taken({ source, format }: VocabularyConfig): Promise<TakenSnapshot> {
    const { pool, hosts, locate, recordsOf } = this.#parts;
    if (format === 'records') {
      const { schema, records } = await recordsOf(source);
      const pieces = await linesOf(records, source);
      const moved = pieces.map(({ buffer }) => buffer);
      return pool.run(snapshotOfRecords, { schema, source, pieces }, moved, TIMEOUT.vocabulary);
    }
    const input = { source, url: locate(source).href, hosts, most: MOST_BYTES, format };
    return pool.run(snapshotOf, input, [], TIMEOUT.vocabulary);
  }

  async #keep({ bytes, digest }: TakenSnapshot): Promise<void> {
    const { database, inForce } = this.#parts;
    await database.transact(async (draft) => {
      const now = Date.now();
      const used = `UPDATE accession_snapshot SET used = $1 WHERE ${draft.dialect.among('digest', 2)}`;
      draft.run(used, [now, [...inForce()]]);
      draft.run('DELETE FROM accession_snapshot WHERE used < $1', [now - KEEP.snapshot]);
      draft.run(DELETE_PARTS);
      draft.run(BEGIN, [digest, bytes.length, now]);
    });
    for (let at = 0; at < bytes.length; at += WRITTEN_AT_ONCE)
      await database.transact(async (draft) =>
        addParts(draft, SNAPSHOT_PARTS, digest, at, bytes.subarray(at, at + WRITTEN_AT_ONCE)),
      );
    await database.transact(async (draft) => {
      draft.run('UPDATE accession_snapshot SET complete = 1 WHERE digest = $1', [digest]);
    });
  }
}

const DELETE_PARTS =
  'DELETE FROM accession_snapshot_part WHERE digest NOT IN (SELECT digest FROM accession_snapshot)';
const BEGIN = `INSERT INTO accession_snapshot (digest, size, complete, used) VALUES ($1, $2, 0, $3)
  ON CONFLICT (digest) DO UPDATE SET used = excluded.used`;

/** Records are copied to a thread in pieces of about this many characters. */
const PIECE = 2 ** 20;

/** Records as lines: IRI, class and the record itself. @throws ServiceError `schema_invalid` if they are too many */
async function linesOf(
  records: AsyncIterable<StoredRecord>,
  source: string,
): Promise<Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const encoder = new TextEncoder();
  const yieldIfDue = yielder();
  let [lines, size] = ['', 0];
  const end = () => {
    pieces.push(encoder.encode(lines));
    size += pieces.at(-1)!.length;
    lines = '';
  };
  for await (const { iri, className, json } of records) {
    lines += `[${JSON.stringify(iri)},${JSON.stringify(className)},${json}]\n`;
    if (lines.length > PIECE) end();
    if (size > MOST_BYTES)
      throw new ServiceError(
        'schema_invalid',
        `The records of ${source} have more than ${MOST_BYTES} bytes.`,
      );
    await yieldIfDue();
  }
  end();
  return pieces;
}

/** By digest, the snapshots that are in use. */
type OpenSnapshots = Map<string, WeakRef<Snapshot>>;

/** The vocabularies of a configuration, from the database of its store. */
export async function openVocabularies(
  reader: Reader,
  configured: Entries<VocabularyConfig> = {},
  open: OpenSnapshots = new Map(),
): Promise<OpenVocabularies> {
  const terms: Record<string, Snapshot> = {};
  const missing: string[] = [];
  for (const [name, { snapshot: digest }] of Object.entries(configured)) {
    const snapshot = digest === undefined ? undefined : await openStored(reader, digest, open);
    if (snapshot) terms[name] = snapshot;
    else missing.push(name);
  }
  return { terms, missing };
}

async function openStored(
  reader: Reader,
  digest: string,
  open: OpenSnapshots,
): Promise<Snapshot | undefined> {
  const known = open.get(digest)?.deref();
  if (known) return known;
  const bytes = await storedBytes(reader, digest);
  if (!bytes) return undefined;
  const snapshot = openSnapshot(bytes);
  open.set(digest, new WeakRef(snapshot));
  return snapshot;
}

/** The bytes of a snapshot in memory that threads share; undefined if the database does not have all of it. */
async function storedBytes(reader: Reader, digest: string): Promise<Uint8Array | undefined> {
  const [row] = await reader.tuples<[size: number]>(
    'SELECT size FROM accession_snapshot WHERE digest = $1 AND complete = 1',
    [digest],
  );
  if (!row) return undefined;
  const bytes = new Uint8Array(new SharedArrayBuffer(row[0]));
  const yieldIfDue = yielder();
  for await (const { at, bytes: piece } of readParts(reader, SNAPSHOT_PARTS, digest, {
    from: 0,
    to: row[0],
  })) {
    bytes.set(piece, at);
    await yieldIfDue();
  }
  return bytes;
}
