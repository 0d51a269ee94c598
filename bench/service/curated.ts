/** Stores of this service for benches, without the way through a store of the peer: a collection `c` with curated records. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { batches } from '../../src/core/batches.ts';
import type { RecordText } from '../../src/core/records/record.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { openSqliteDatabase } from '../../src/core/storage/sqlite/sqlite.ts';
import { secretOf } from './data.ts';

/** The schema of the records. */
export const SCHEMA = join(import.meta.dirname, '../../examples/laboratory/schema.yaml');

/** Records that one commit adds. */
const BATCH = 2000;
const BY = { committer: 'curator', author: 'curator', role: 'curator' } as const;

/** Adds records to the curated area of a store, or of a database. */
export async function curate(store: string | Database, records: Iterable<RecordText>): Promise<void> {
  const database = typeof store === 'string' ? await openSqliteDatabase(join(store, 'accession.db')) : store;
  const curated = await database.area('c/curated');
  for await (const batch of batches(records, { items: BATCH }))
    await curated.write(
      batch.map((put) => ({ put })),
      BY,
    );
  if (typeof store === 'string') await database.close();
}

/**
 * Writes the configuration of the collection, whose visitors have the rights of its first token.
 *
 * @param modes the permissions of each token, by name
 * @returns its path
 */
export function writeCuratedConfig(root: string, modes: Readonly<Record<string, string>>): string {
  const [visitor] = Object.keys(modes);
  const collection = {
    schema: SCHEMA,
    default_token: visitor,
    curated: 'c/curated',
    incoming: 'c/incoming',
    backend: { type: 'sqlite' },
  };
  const tokens = Object.entries(modes).map(([name, mode]) => [
    name,
    { user_id: name, representation: secretOf(name), collections: { c: { mode, incoming_label: name } } },
  ]);
  const file = join(root, 'config.json');
  const configuration = { type: 'collections', version: 2, collections: { c: collection } };
  writeFileSync(file, JSON.stringify({ ...configuration, tokens: Object.fromEntries(tokens) }));
  return file;
}
