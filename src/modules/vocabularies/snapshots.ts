/**
 * Snapshots of vocabularies: fetched from their sources in threads, kept in the database, where every instance and every copy
 * of the store has them, and opened once for all collections that use them.
 */

import { openSnapshot } from '#linkml/vocabularies/snapshot.ts';
import type { OpenTerms, TermSource } from '../../core/collections/terms.ts';
import type { Configuration } from '../../core/config/config.ts';
import { KEEP, TIMEOUT } from '../../core/durations.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Schema } from '../../core/schema/schema.ts';
import type { Database } from '../../core/storage/database.ts';
import { addParts, WRITTEN_AT_ONCE } from '../../core/storage/parts.ts';
import type { StoredRecord } from '../../core/storage/store.ts';
import type { Pool } from '../../core/work/pool.ts';
import { yielder } from '../../core/yield.ts';
import type { VocabularyConfig } from './configuration.ts';
import { type OpenSnapshots, openStored, storedTerms } from './stored.ts';
import { SNAPSHOT_PARTS } from './tables.ts';
import { type FetchedSnapshot, snapshotOf, snapshotOfRecords } from './tasks.ts';

/** Records that are the terms of a vocabulary. */
export type RecordsOf = { readonly schema: Schema; readonly records: AsyncIterable<StoredRecord> };

type VocabulariesParts = {
  readonly database: Database;
  readonly pool: Pool;
  /** Where sources are read. */
  readonly sources: Pool;
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

export class Vocabularies implements TermSource {
  readonly #parts: VocabulariesParts;
  readonly #open: OpenSnapshots = new Map();
  readonly open: OpenTerms;

  constructor(parts: VocabulariesParts) {
    this.#parts = parts;
    this.open = storedTerms(parts.database, this.#open);
  }

  async fetch(vocabulary: VocabularyConfig): Promise<VocabularyConfig> {
    const { snapshot: former } = vocabulary;
    const fetched = await this.#fetchSnapshot(vocabulary);
    const snapshot = openSnapshot(fetched.bytes);
    const before = former && (await openStored(this.#parts.database, former, this.#open));
    if (before && before.digest === snapshot.digest) return vocabulary;
    await this.#keep(fetched);
    this.#open.set(fetched.digest, new WeakRef(snapshot));
    return { ...vocabulary, snapshot: fetched.digest };
  }

  async #fetchSnapshot({ source, format }: VocabularyConfig): Promise<FetchedSnapshot> {
    const { pool, sources, hosts, locate, recordsOf } = this.#parts;
    if (format === 'records') {
      const { schema, records } = await recordsOf(source);
      const pieces = await linesOf(records, source);
      const moved = pieces.map(({ buffer }) => buffer);
      return pool.run(snapshotOfRecords, { schema, source, pieces }, moved, TIMEOUT.vocabulary);
    }
    const input = { source, url: locate(source).href, hosts, most: MOST_BYTES, format };
    return sources.run(snapshotOf, input, [], TIMEOUT.vocabulary);
  }

  async #keep({ bytes, digest }: FetchedSnapshot): Promise<void> {
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

/** The digests of the snapshots that a configuration names. */
export function snapshotsIn({ collections }: Configuration): ReadonlySet<string> {
  const all = Object.values(collections).flatMap(({ vocabularies = {} }) => Object.values(vocabularies));
  return new Set(all.flatMap(({ snapshot = [] }) => snapshot));
}
