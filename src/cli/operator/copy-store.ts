/** `accession copy-store`, from a store directory to a PostgreSQL database, or back. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { BackendConfig } from '../../core/config/backends.ts';
import { mapEntries } from '../../core/config/config.ts';
import { PRIVATE_FOLDER } from '../../core/config/paths.ts';
import { CONFIGURATION_AREA, configurationChange } from '../../core/config/record.ts';
import { DATABASE_FILE, noteDatabase } from '../../core/config/store-directory.ts';
import type { Connection } from '../../core/storage/connection.ts';
import { copyTables, countRows } from '../../core/storage/copy-tables.ts';
import { copyIntoPostgresql } from '../../core/storage/postgresql/postgresql.ts';
import { writingConnection } from '../../core/storage/sqlite/connection.ts';
import { takeLock } from '../../core/storage/sqlite/lock.ts';
import { layTables, openSqliteDatabase } from '../../core/storage/sqlite/sqlite.ts';
import { makeDirectory } from '../new-file.ts';
import { isDatabaseUrl, openStore } from '../open-store.ts';
import type { OpenStore } from '../opened-store.ts';
import { UsageError } from '../outcome.ts';
import { countText } from '../print.ts';
import { startProgress } from '../progress.ts';

const BY = { committer: 'copy-store', author: 'copy-store', role: 'service' } as const;

export async function copyStore(from: string, to: string): Promise<number> {
  if (isDatabaseUrl(from) === isDatabaseUrl(to))
    throw new UsageError(
      'Expected one directory and one database. "accession backup" and "accession restore" copy directories, pg_dump copies databases.',
    );
  await using source = await openStore(from);
  // Writes of a service after the moment of the copy would be lost.
  const lock = isDatabaseUrl(from)
    ? undefined
    : takeLock(`${join(source.root, DATABASE_FILE)}.lock`, `The store ${from}`);
  try {
    const rows = await (isDatabaseUrl(to) ? copyIntoDatabase(source, to) : copyIntoDirectory(source, to));
    process.stderr.write(`copied ${countText(rows, 'row')}\n`);
    return 0;
  } finally {
    lock?.release();
  }
}

/** Copies as of one moment. @returns the number of rows */
async function copyAll({ database }: OpenStore, target: Connection): Promise<number> {
  let copied = 0;
  await database.snapshot(async (reader) => {
    using progress = startProgress('rows', await countRows(reader));
    await copyTables(reader, target, (rows) => {
      copied += rows;
      progress.advance(rows);
    });
  });
  return copied;
}

/** All of it is one transaction: an interrupted copy leaves an empty database. */
async function copyIntoDatabase(source: OpenStore, url: string): Promise<number> {
  let rows = 0;
  await copyIntoPostgresql(url, async (target) => {
    rows = await copyAll(source, target);
  });
  return rows;
}

/** The file gets its name when the copy is complete. */
async function copyIntoDirectory(source: OpenStore, directory: string): Promise<number> {
  const root = resolve(directory);
  const file = join(root, DATABASE_FILE);
  if (existsSync(file)) throw new UsageError(`${directory} has a store already.`);
  makeDirectory(dirname(root));
  makeDirectory(join(root, PRIVATE_FOLDER), 0o700);
  const unfinished = `${file}.unfinished`;
  const remove = () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${unfinished}${suffix}`, { force: true });
  };
  remove();
  try {
    layTables(unfinished);
    const database = new DatabaseSync(unfinished);
    database.exec('PRAGMA synchronous = OFF; BEGIN');
    const rows = await copyAll(source, writingConnection(database));
    database.exec(
      'COMMIT; PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL',
    );
    database.close();
    await useSqlite(source, unfinished);
    renameSync(unfinished, file);
    noteDatabase(root, false);
    return rows;
  } finally {
    remove();
  }
}

/** A collection whose backend needs PostgreSQL gets the one that does the same without. */
async function useSqlite({ configuration, root }: OpenStore, file: string): Promise<void> {
  const collections = mapEntries(configuration.collections, (config) => ({
    ...config,
    backend: {
      ...config.backend,
      type: config.backend.type.replace('postgresql', 'sqlite'),
    } as BackendConfig,
  }));
  const isSame = Object.values(configuration.collections).every(
    ({ backend }) => !backend.type.startsWith('postgresql'),
  );
  if (isSame) return;
  const database = await openSqliteDatabase(file);
  try {
    const area = await database.area(CONFIGURATION_AREA);
    await area.write([configurationChange({ ...configuration, collections }, root)], BY);
  } finally {
    await database.close();
    rmSync(`${file}.lock`, { force: true });
  }
}
