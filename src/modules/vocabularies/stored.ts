/** Snapshots of vocabularies that the database of a store keeps: opened once for all that use them. */

import { openSnapshot, type Snapshot } from '#linkml/vocabularies/snapshot.ts';
import type { OpenTerms } from '../../core/collections/terms.ts';
import { readParts } from '../../core/storage/parts.ts';
import type { Reader } from '../../core/storage/reader.ts';
import { yielder } from '../../core/yield.ts';
import { SNAPSHOT_PARTS } from './tables.ts';

/** By digest, the snapshots that are in use. */
export type OpenSnapshots = Map<string, WeakRef<Snapshot>>;

/** Opens vocabularies from a database, with the snapshots that are open already. */
export function storedTerms(reader: Reader, open: OpenSnapshots = new Map()): OpenTerms {
  return async (configured = {}) => {
    const terms: Record<string, Snapshot> = {};
    for (const [name, { snapshot: digest }] of Object.entries(configured)) {
      const snapshot = digest === undefined ? undefined : await openStored(reader, digest, open);
      if (snapshot) terms[name] = snapshot;
    }
    return terms;
  };
}

export async function openStored(
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
