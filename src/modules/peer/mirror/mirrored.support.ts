/** The setting of tests of mirrored areas: a directory, a database, and an area between them. */
import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { assertFiles } from '../../../../test/support/record-directory.ts';
import { sqliteAt } from '../../../../test/support/sqlite.ts';
import type { MappingMethod } from '../../../core/config/backends.ts';
import { ServiceError } from '../../../core/errors.ts';
import { expand, schemaTypeOf } from '../../../core/storage/contract/subject.ts';
import type { Database } from '../../../core/storage/database.ts';
import { SILENT_LOG } from '../../../core/storage/log.ts';
import { openPostgresqlDatabase } from '../../../core/storage/postgresql/postgresql.ts';
import { openSqliteDatabase } from '../../../core/storage/sqlite/sqlite.ts';
import type { RecordStore } from '../../../core/storage/store.ts';
import { TABLES } from '../tables.ts';
import { fileWorker } from './file-worker.ts';
import { AreaMirror } from './mirror.ts';

export type Mirrored = {
  /** The store directory; the area is in `area` below it. */
  readonly root: string;
  readonly directory: string;
  database: Database;
  store: RecordStore;
  mirror: AreaMirror;
  /** Puts a file into the directory as another program does. */
  write(path: string, content: string | Buffer): void;
  read(path: string): string;
  /** IRIs that the area refuses from outside. */
  readonly refused: Set<string>;
  /** The rows of files in the database. */
  rows(): SavedRows;
  /**
   * Opens a copy of the database in which nothing newer was saved about files, with the same files: as after a crash.
   *
   * @param damage what happens to the files before
   */
  crash(saved: SavedRows, damage: () => void): Promise<Mirrored>;
  close(): Promise<void>;
  /** Opens again what was closed, or closes first. */
  reopen(): Promise<void>;
};

type SavedRows = { readonly files: readonly object[]; readonly cursors: readonly object[] };

export type MirroredOptions = {
  readonly mapping?: MappingMethod;
  readonly typed?: boolean;
  readonly root?: string;
  /** The default is `area` below the store directory. */
  readonly directory?: string;
  /** A PostgreSQL database; the default is one of SQLite in the directory. */
  readonly url?: string;
};

/** An area of a new directory, until the test ends. */
export async function mirrored(t: TestContext, options: MirroredOptions = {}): Promise<Mirrored> {
  const root = options.root ?? mkdtempSync(join(tmpdir(), 'accession-mirror-'));
  const { directory = join(root, 'area') } = options;
  const refused = new Set<string>();
  const opened = await openMirrored(root, options, refused);
  let isOpen = true;
  const subject: Mirrored = {
    root,
    directory,
    refused,
    ...opened,
    write(path, content) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), content);
    },
    read: (path) => readFileSync(join(directory, path), 'utf8'),
    rows: () =>
      withTables(root, (tables) => ({
        files: tables.prepare('SELECT * FROM accession_file').all(),
        cursors: tables.prepare("SELECT * FROM accession_cursor WHERE name = 'mirror'").all(),
      })),
    async crash(saved, damage) {
      damage();
      const other = mkdtempSync(join(tmpdir(), 'accession-mirror-'));
      for (const name of readdirSync(root).filter((each) => /^accession.db(-wal)?$/.test(each)))
        copyFileSync(join(root, name), join(other, name));
      renameSync(directory, join(other, 'area'));
      withTables(other, (tables) => {
        tables.exec("DELETE FROM accession_file; DELETE FROM accession_cursor WHERE name = 'mirror'");
        insert(tables, 'accession_file', saved.files);
        insert(tables, 'accession_cursor', saved.cursors);
      });
      return mirrored(t, { ...options, root: other });
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await subject.mirror.close();
      await subject.database.close();
    },
    async reopen() {
      await subject.close();
      Object.assign(subject, await openMirrored(root, options, refused));
      isOpen = true;
      await subject.mirror.begin();
    },
  };
  t.after(async () => {
    await subject.close();
    rmSync(root, { recursive: true, force: true });
  });
  await subject.mirror.begin();
  return subject;
}

function withTables<T>(root: string, use: (tables: DatabaseSync) => T): T {
  const tables = sqliteAt(join(root, 'accession.db'));
  try {
    return use(tables);
  } finally {
    tables.close();
  }
}

function insert(tables: DatabaseSync, table: string, rows: readonly object[]): void {
  for (const row of rows) {
    const values = Object.values(row);
    tables.prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`).run(...values);
  }
}

/** Opens the database of a store directory with one mirrored area, which does not begin to watch. */
async function openMirrored(
  root: string,
  { mapping = 'digest-md5', typed = false, directory = join(root, 'area'), url }: MirroredOptions = {},
  refused: ReadonlySet<string> = new Set(),
): Promise<Pick<Mirrored, 'database' | 'store' | 'mirror'>> {
  const database = await (url
    ? openPostgresqlDatabase(url, { tables: TABLES })
    : openSqliteDatabase(join(root, 'accession.db'), { tables: TABLES }));
  const store = await database.area('area');
  const mirror = new AreaMirror({
    database,
    worker: fileWorker,
    path: 'area',
    directory,
    mapping,
    typed,
    log: SILENT_LOG,
    schema: () => ({ expand, schemaTypeOf, address: 'https://example.org/schema' }),
    writeEdits: async (changes) => {
      if (changes.some((change) => 'put' in change && refused.has(change.put.iri)))
        throw new ServiceError('record_invalid', 'Refused.');
      await database.transact((draft) => draft.write(store.area, changes, null));
    },
  });
  database.use({ companions: () => [], mirror: (path) => (path === 'area' ? mirror : undefined) });
  database.onChange((areas) => {
    if (areas === 'unknown' || areas.has('area')) mirror.changed();
  });
  return { database, store, mirror };
}

/** Declares a test with a mirrored area. */
export function withMirror(
  sentence: string,
  run: (subject: Mirrored) => Promise<void>,
  options?: MirroredOptions,
): void {
  test(sentence, async (t) => run(await mirrored(t, options)));
}

/** Requires that the mirror has no faults, and {@link assertFiles}. */
export async function assertMirrored(
  { store, directory, mirror }: Pick<Mirrored, 'store' | 'directory' | 'mirror'>,
  typed = false,
): Promise<void> {
  assert.deepEqual(await mirror.faults(), []);
  await assertFiles(store, directory, typed);
}
