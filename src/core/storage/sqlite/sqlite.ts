/** The database in a file of the store directory. One process owns it; others may read it. */
import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { EVERY } from '../../durations.ts';
import { isDiskFull, isReadOnlyDisk, isServiceError, ServiceError } from '../../errors.ts';
import { yieldIfOverdue } from '../../yield.ts';
import type { Database, Leadership } from '../database.ts';
import { SQLITE } from '../dialect.ts';
import type { Engine } from '../engine.ts';
import { ddl, GENERATION, LAYOUT, newGeneration, requirePresentLayout, stepsFrom } from '../layout.ts';
import { databaseOn } from '../open-database.ts';
import { describedIn, missingTables, requireTables, type TablesOfModules } from '../tables.ts';
import { DAMAGED, FileWatch, isDamage, requireSound, storageDamaged } from './damage.ts';
import { type Lock, takeLock } from './lock.ts';
import { ReadingThreads } from './reading-threads.ts';
import { writeMergeOptions } from './segments.ts';
import { openReading } from './statements.ts';
import { writeStatistics } from './statistics.ts';
import { Writer } from './writer.ts';

export type SqliteOptions = {
  /** Reads a database that another process may own; every write is refused. */
  readonly readOnly?: boolean;
  /** Writes beside the process that owns the database: only what nothing in its memory depends on. */
  readonly beside?: boolean;
  /** Before a service uses the file: commits do not wait for the disk. */
  readonly loading?: boolean;
  /** Refuses a database with damaged pages, if it is small enough to be examined at each start. */
  readonly examine?: boolean;
  /** The tables of modules: the owner of the database makes them, others require them. */
  readonly tables?: TablesOfModules;
  /** Called if the thread that writes ends by itself: no write succeeds from then on. */
  readonly lost?: (error: unknown) => void;
};

/**
 * Opens the database of a file, and makes it if it is missing.
 *
 * @throws ServiceError `store_incompatible` if another process owns it, or a later release has made it;
 *   `config_invalid` if there is none to read; `storage_failed`, `storage_full`
 */
export async function openSqliteDatabase(file: string, options: SqliteOptions = {}): Promise<Database> {
  const { readOnly = false, examine = false, tables = {} } = options;
  try {
    const engine = readOnly ? readingEngine(file, tables) : await owningEngine(file, options);
    if (examine) await requireSoundOrClose(engine, file);
    return databaseOn(engine);
  } catch (error) {
    const reason = isServiceError(error) ? undefined : unwritable(dirname(file));
    if (reason === undefined) throw sqliteFailure(error, `Opening the database ${file}`);
    const message = `Opening the database ${file} failed: ${reason}. SQLite writes files beside a database that is only read, too.`;
    throw new ServiceError('storage_unavailable', message, [], { cause: error });
  }
}

/** Why no file can be made in a directory; undefined if one can. */
function unwritable(directory: string): string | undefined {
  try {
    accessSync(directory, constants.W_OK);
    return undefined;
  } catch (error) {
    return isReadOnlyDisk(error)
      ? `the file system of ${directory} is read-only`
      : `the directory ${directory} cannot be written`;
  }
}

async function owningEngine(
  file: string,
  { loading = false, beside = false, tables, lost }: SqliteOptions,
): Promise<Engine> {
  const lock = beside ? undefined : takeLock(`${file}.lock`, `The database ${file}`);
  try {
    if (beside && existsSync(file)) requireLayoutOfOwner(file);
    layTables(file, tables);
    const writer = await Writer.open(file, loading, lost);
    return engineOf(file, lock, writer);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** The process that owns the database may be of a former release. */
function requireLayoutOfOwner(file: string): void {
  const database = new DatabaseSync(file, { timeout: 10_000, readOnly: true });
  try {
    requirePresentLayout(layoutOf(database), `The database ${file}`);
  } finally {
    database.close();
  }
}

async function requireSoundOrClose(engine: Engine, file: string): Promise<void> {
  try {
    requireSound(file);
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function readingEngine(file: string, tables: TablesOfModules): Engine {
  if (!existsSync(file))
    throw new ServiceError(
      'config_invalid',
      `There is no database ${file} to read: start the service that owns it first.`,
    );
  return engineOf(file, undefined, undefined, tables);
}

const ALWAYS: Leadership = { held: true, watch: () => () => {}, problem: () => undefined };
const NEVER: Leadership = { ...ALWAYS, held: false };

function engineOf(
  file: string,
  lock: Lock | undefined,
  writer: Writer | undefined,
  required: TablesOfModules = {},
): Engine {
  const watch = new FileWatch(file);
  const { database, query } = openReading(file);
  const snapshots = new ReadingThreads(file);
  if (!writer) {
    requirePresentLayout(layoutOf(database), `The database ${file}`);
    requireTables(required, metaOf(database));
  }
  let looking: NodeJS.Timeout | undefined;
  return {
    dialect: SQLITE,
    readOnly: writer === undefined,
    async query(sql, values) {
      // A walk through many records would wait for nothing.
      await yieldIfOverdue();
      return query(sql, values);
    },
    snapshot: (work) => snapshots.snapshot(work),
    async commit(transaction) {
      watch.requireWhole();
      return writer!.commit(transaction);
    },
    failure(error, doing) {
      watch.note(error);
      return isDamage(error) ? storageDamaged(doing, DAMAGED, error) : sqliteFailure(error, doing);
    },
    problem: async () => watch.problem(),
    // The directory of the store is probed.
    probe: async () => {},
    announce() {},
    onForeignChange(callback) {
      if (writer) return;
      const version = () =>
        (database.prepare('PRAGMA data_version').get() as { data_version: number }).data_version;
      let seen = version();
      looking = setInterval(() => {
        const now = version();
        if (now === seen) return;
        seen = now;
        callback('unknown');
      }, EVERY.otherProcess).unref();
    },
    leadership: writer ? ALWAYS : NEVER,
    size: async () => ({ bytes: await bytesOf(file), log: await bytesOf(`${file}-wal`) }),
    logSize: () => bytesOf(`${file}-wal`),
    async close() {
      clearInterval(looking);
      // The connection that is closed last empties the log of the database, and only one that writes can.
      await snapshots.close();
      database.close();
      await writer?.close();
      lock?.release();
    },
  };
}

async function bytesOf(file: string): Promise<number | null> {
  return (await stat(file).catch(() => undefined))?.size ?? null;
}

/** Makes the tables that are missing, or refuses a database that this release does not know. */
export function layTables(file: string, modules?: TablesOfModules): void {
  // It holds secrets; the files beside it get the same mode.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const database = new DatabaseSync(file, { timeout: 10_000 });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    database.exec('BEGIN IMMEDIATE');
    const known = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'accession_meta'").get();
    if (known) upgrade(database, file);
    else {
      requireEmpty(database, file);
      database.exec(ddl(SQLITE));
      database.prepare("INSERT INTO accession_meta VALUES ('layout', ?)").run(String(LAYOUT));
      setGeneration(database);
    }
    layModuleTables(database, modules);
    writeStatistics(database, describedIn(metaOf(database)));
    writeMergeOptions(database);
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

function layModuleTables(database: DatabaseSync, modules: TablesOfModules | undefined): void {
  const table = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?");
  const { statements, meta } = missingTables(modules, {
    meta: metaOf(database),
    has: (name) => table.get(name) !== undefined,
    dialect: SQLITE,
  });
  for (const statement of statements) database.exec(statement);
  const put = database.prepare('INSERT OR REPLACE INTO accession_meta VALUES (?, ?)');
  for (const row of meta) put.run(...row);
}

function metaOf(database: DatabaseSync): Map<string, string> {
  const rows = database.prepare('SELECT key, value FROM accession_meta');
  rows.setReturnArrays(true);
  return new Map(rows.all() as unknown as [string, string][]);
}

/** Refuses the database of another program. @throws ServiceError `store_incompatible` */
function requireEmpty(database: DatabaseSync, file: string): void {
  const table = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").get() as
    | { name: string }
    | undefined;
  if (!table) return;
  const message = `${file} is the database of another program: it has a table ${table.name}, and none of Accession. Move it away.`;
  throw new ServiceError('store_incompatible', message);
}

/** Begins another line of history: who follows the database starts again. For one that is restored. */
export function renewGeneration(file: string): void {
  const database = new DatabaseSync(file);
  try {
    setGeneration(database);
  } finally {
    database.close();
  }
}

function setGeneration(database: DatabaseSync): void {
  database.prepare('INSERT OR REPLACE INTO accession_meta VALUES (?, ?)').run(GENERATION, newGeneration());
}

function layoutOf(database: DatabaseSync): number {
  const row = database.prepare("SELECT value FROM accession_meta WHERE key = 'layout'").get() as {
    value: string;
  };
  return Number(row.value);
}

/** Leads a former layout to the present one. */
function upgrade(database: DatabaseSync, file: string): void {
  const steps = stepsFrom(layoutOf(database), `The database ${file}`, SQLITE);
  if (steps.length === 0) return;
  for (const sql of steps) database.exec(sql);
  database.prepare("UPDATE accession_meta SET value = ? WHERE key = 'layout'").run(String(LAYOUT));
}

/** A failure of the disk, or of SQLite, as an error of the service; errors of the service pass. */
function sqliteFailure(error: unknown, doing: string): ServiceError {
  if (isServiceError(error)) return error;
  if (isDiskFull(error)) {
    const message = `${doing} failed, and nothing was changed: the disk of the store is full.`;
    return new ServiceError('storage_full', message, [], { cause: error });
  }
  if (isReadOnlyDisk(error)) {
    const message = `${doing} failed, and nothing was changed: the file system of the store is read-only.`;
    return new ServiceError('storage_unavailable', message, [], { cause: error });
  }
  const { errcode } = (error ?? {}) as { errcode?: number };
  const reason = REASONS[(errcode ?? 0) & 0xff] ?? 'the medium reported a failure';
  return new ServiceError('storage_failed', `${doing} failed, and nothing was changed: ${reason}.`, [], {
    cause: error,
  });
}

/** By result codes of SQLite: `BUSY`, `CORRUPT`, `NOTADB`. */
const REASONS: Readonly<Record<number, string>> = {
  5: 'another process has locked the database',
  11: DAMAGED,
  26: DAMAGED,
};
