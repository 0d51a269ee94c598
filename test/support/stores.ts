/** The areas of a collection without a service, on both databases. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { JsonObject } from '#linkml/json.ts';
import type { CollectionStores } from '../../src/core/collections/stores.ts';
import { recordText } from '../../src/core/records/record.ts';
import { openSchemaText } from '../../src/core/schema/schema.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { openPostgresqlDatabase } from '../../src/core/storage/postgresql/postgresql.ts';
import { openSqliteDatabase } from '../../src/core/storage/sqlite/sqlite.ts';
import type { Actor, Change } from '../../src/core/storage/store.ts';
import { databaseWithTables } from './postgresql.ts';

/** Nothing replaces its schema. */
type Stores = CollectionStores & Pick<Database, 'transact'>;

export const CORA: Actor = { committer: 'cora', author: 'cora', role: 'curator' };

export const DATABASES = ['sqlite', 'postgresql'] as const;

/** An empty collection with zones. */
export async function emptyStores(
  t: TestContext,
  database: (typeof DATABASES)[number],
  schema: string,
): Promise<Stores> {
  const root = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'accession-stores-'));
  const opened: Database =
    database === 'sqlite'
      ? await openSqliteDatabase(join(root, 'accession.db'))
      : await openPostgresqlDatabase(await databaseWithTables());
  t.after(async () => {
    await opened.close();
    rmSync(root, { recursive: true });
  });
  return storesOf(opened, schema);
}

/** The collection under another schema. */
export async function storesOf(database: Database, schema: string, address = '/one.yaml'): Promise<Stores> {
  return {
    name: 'c',
    schema: await openSchemaText(schema, address),
    database,
    transact: database.transact,
    curated: await database.area('c/curated'),
    zones: {
      path: 'c/incoming',
      written: async () =>
        (await database.areasBelow('c/incoming')).map(({ id, path }) => ({
          area: id,
          label: path.slice('c/incoming/'.length),
        })),
      places: ['c/incoming/'],
      labelsAt: (path) => (path.startsWith('c/incoming/') ? [path.slice('c/incoming/'.length)] : []),
      async existing(label) {
        const store = await database.existingArea(`c/incoming/${label}`);
        return store && { store };
      },
    },
  };
}

/** A change that stores a record. */
export function put({ schema }: CollectionStores, className: string, record: JsonObject): Change {
  return { put: recordText(schema, { className, record }) };
}
