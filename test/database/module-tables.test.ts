/** Tables of modules: made, upgraded, and looked after while their module is absent. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { copyTables } from '../../src/core/storage/copy-tables.ts';
import { setCursor } from '../../src/core/storage/cursors.ts';
import type { Database } from '../../src/core/storage/database.ts';
import { TABLES_OF_0_3 } from '../../src/core/storage/former-tables.ts';
import { openPostgresqlDatabase } from '../../src/core/storage/postgresql/postgresql.ts';
import { writingConnection } from '../../src/core/storage/sqlite/connection.ts';
import { layTables, openSqliteDatabase } from '../../src/core/storage/sqlite/sqlite.ts';
import {
  describedIn,
  inWordsOf,
  type ModuleTables,
  moduleMeta,
  removeRowsOf,
  type TablesOfModules,
} from '../../src/core/storage/tables.ts';
import { tablesOf } from '../../src/module.ts';
import { MODULES } from '../../src/modules.ts';
import { ownDatabase } from '../support/postgresql.ts';
import { sqliteAt } from '../support/sqlite.ts';

const FIRST: ModuleTables = {
  version: 1,
  sql: `CREATE TABLE accession_mark (id ID, collection TEXT NOT NULL, iri TEXT NOT NULL);
CREATE INDEX accession_mark_iri ON accession_mark (collection, iri);`,
  collection: ['accession_mark'],
};
const SECOND: ModuleTables = {
  ...FIRST,
  version: 2,
  sql: `CREATE TABLE accession_mark (id ID, collection TEXT NOT NULL, iri TEXT NOT NULL, note TEXT NOT NULL DEFAULT '');
CREATE INDEX accession_mark_iri ON accession_mark (collection, iri);`,
  steps: [`ALTER TABLE accession_mark ADD COLUMN note TEXT NOT NULL DEFAULT ''`],
};

const add = (database: Database, collection: string) =>
  database.transact(async (draft) => {
    draft.run('INSERT INTO accession_mark (collection, iri) VALUES ($1, $2)', [collection, 'ex:a']);
  });
const marks = (database: Database) => database.tuples('SELECT collection FROM accession_mark ORDER BY 1');

function folderOf(t: { after(end: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'accession-tables-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const ENGINES: readonly [name: string, make: (t: { after(end: () => void): void }) => Promise<Opener>][] = [
  [
    'SQLite',
    async (t) => {
      const file = join(folderOf(t), 'accession.db');
      return (tables, options) => openSqliteDatabase(file, { ...(tables && { tables }), ...options });
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const url = await ownDatabase();
      return (tables, options) => openPostgresqlDatabase(url, { ...(tables && { tables }), ...options });
    },
  ],
];
/** What a service without review changes once: which version of the record a row is of. */
const NOTED_AS_MISSED = 'accession_submission.version';

/** The tables that statements make, with a value for each column of a row. */
function columnsOf(sql: string) {
  const values = { INT: 1, TEXT: 'x', BYTES: Buffer.from('x') } as const;
  return [...sql.matchAll(/CREATE TABLE (\w+) \((.*?)\);$/gms)].map(([, table = '', body = '']) => ({
    table,
    columns: Object.fromEntries(
      [...body.matchAll(/\b([a-z_]+) (INT|TEXT|BYTES)\b/g)].map(([, name, type]) => [
        name,
        values[type as keyof typeof values],
      ]),
    ),
  }));
}

type Opener = (
  tables: TablesOfModules | undefined,
  options?: { readonly readOnly: boolean },
) => Promise<Database>;

for (const [name, make] of ENGINES) {
  describe(`tables of modules on ${name}`, () => {
    test('are made, led from version to version with their rows, and refused to an earlier release', async (t) => {
      const open = await make(t);
      const first = await open({ marks: FIRST });
      await add(first, 'c');
      assert.equal((await moduleMeta(first)).get('layout marks'), '1');
      await first.close();
      const second = await open({ marks: SECOND });
      assert.deepEqual(await second.tuples('SELECT collection, note FROM accession_mark'), [['c', '']]);
      assert.equal((await moduleMeta(second)).get('layout marks'), '2');
      await second.close();
      await assert.rejects(open({ marks: FIRST }), { code: 'store_incompatible' });
    });

    test('are left to the process that owns the database by one that only reads', async (t) => {
      const open = await make(t);
      await (await open({})).close();
      const reader = () => open({ marks: FIRST }, { readOnly: true });
      await assert.rejects(reader(), { code: 'store_incompatible' });
      const owner = await open({ marks: FIRST });
      await (await reader()).close();
      assert.equal((await moduleMeta(owner)).get('layout marks'), '1');
      await owner.close();
    });

    test('that a former release made without a version are of version 1', async (t) => {
      const open = await make(t);
      const former = await open({ marks: FIRST });
      await add(former, 'c');
      await former.transact(async (draft) => {
        draft.run(`DELETE FROM accession_meta WHERE key LIKE '% marks'`);
      });
      await former.close();
      const database = await open({ marks: SECOND });
      assert.deepEqual(await marks(database), [['c']]);
      await database.close();
    });

    test('and cursors are changed once when the database is opened to write without their module', async (t) => {
      const open = await make(t);
      const absent = { sql: "UPDATE accession_mark SET note = note || 'missed '", cursors: 'mark ' };
      const modules = { marks: { ...SECOND, absent } };
      const state = async (database: Database) => [
        await database.tuples('SELECT note FROM accession_mark'),
        await database.tuples('SELECT name FROM accession_cursor ORDER BY name'),
      ];
      const present = await open(modules);
      await add(present, 'c');
      await present.transact(async (draft) => {
        for (const name of ['mark 1', 'marks', 'mark 2']) setCursor(draft, name, 1, [0, '']);
      });
      await present.close();
      await (await open({}, { readOnly: true })).close();
      // A command that makes no tables is no service without the module.
      await (await open(undefined)).close();
      const again = await open(modules);
      assert.deepEqual(await state(again), [[['']], [['mark 1'], ['mark 2'], ['marks']]]);
      await again.close();
      for (let times = 0; times < 2; times++) {
        const without = await open({});
        assert.deepEqual(await state(without), [[['missed ']], [['marks']]]);
        await without.close();
      }
      await (await open(modules)).close();
      const later = await open({});
      assert.deepEqual(await state(later), [[['missed missed ']], [['marks']]]);
      await later.close();
    });

    test('are described when a store of 0.3, which describes none, is opened first without their modules', async (t) => {
      const open = await make(t);
      const former = await open({});
      await former.transact(async (draft) => {
        for (const { sql } of Object.values(TABLES_OF_0_3))
          for (const statement of inWordsOf(former.dialect, sql).split(/;\s*/).filter(Boolean))
            draft.run(statement);
        for (const collection of ['c', 'd'])
          draft.run(
            `INSERT INTO accession_webhook (area, collection, name, json, secret, since, failures, due)
             VALUES (1, $1, 'one', '{}', 'secret', 0, 0, 0)`,
            [collection],
          );
        setCursor(draft, 'review 1', 1, [0, '']);
      });
      await former.close();
      const absent = await open({});
      const names = Object.keys(TABLES_OF_0_3);
      const meta = await moduleMeta(absent);
      assert.deepEqual(
        names.map((name) => meta.get(`layout ${name}`)),
        names.map(() => '1'),
      );
      assert.equal(describedIn(meta).length, names.length);
      // Companions of review do not see changes from now on.
      assert.deepEqual(await absent.tuples('SELECT name FROM accession_cursor'), []);
      await absent.transact((draft) => removeRowsOf(draft, 'c'));
      assert.deepEqual(await absent.tuples('SELECT collection FROM accession_webhook'), [['d']]);
      await absent.close();
      const present = await open({ webhooks: { ...FIRST, ...TABLES_OF_0_3.webhooks, version: 1 } });
      assert.deepEqual(await present.tuples('SELECT collection FROM accession_webhook'), [['d']]);
      await present.close();
    });

    test('of a store of 0.3 keep every row while no module is there, and when all are back', async (t) => {
      const open = await make(t);
      const former = await open({});
      const tables = Object.values(TABLES_OF_0_3).flatMap(({ sql }) => columnsOf(sql));
      await former.transact(async (draft) => {
        for (const { sql } of Object.values(TABLES_OF_0_3))
          for (const statement of inWordsOf(former.dialect, sql).split(/;\s*/).filter(Boolean))
            draft.run(statement);
        for (const { table, columns } of tables) {
          const names = Object.keys(columns);
          const places = names.map((_, at) => `$${at + 1}`);
          draft.run(`INSERT INTO ${table} (${names}) VALUES (${places})`, Object.values(columns));
        }
      });
      // A companion of review has not seen what changes meanwhile: its row is made again from the record.
      const rowsOf = (database: Database) =>
        Promise.all(
          tables.map(async ({ table, columns }) => {
            const names = Object.keys(columns).filter((name) => `${table}.${name}` !== NOTED_AS_MISSED);
            return [table, await database.tuples(`SELECT ${names} FROM ${table}`)];
          }),
        );
      const before = await rowsOf(former);
      await former.close();
      for (const modules of [{}, tablesOf(MODULES), {}, tablesOf(MODULES)]) {
        const database = await open(modules);
        assert.deepEqual(await rowsOf(database), before, `with ${Object.keys(modules)}`);
        await database.close();
      }
    });

    test('lose the rows of a deleted collection while their module is absent', async (t) => {
      const open = await make(t);
      const present = await open({ marks: FIRST });
      await add(present, 'c');
      await add(present, 'd');
      await present.close();
      const absent = await open({});
      await absent.transact((draft) => removeRowsOf(draft, 'c'));
      assert.deepEqual(await marks(absent), [['d']]);
      await absent.close();
    });
  });
}

test('a copy has the tables of absent modules, with what is to happen to their rows', async (t) => {
  const folder = folderOf(t);
  const source = await openSqliteDatabase(join(folder, 'source.db'), { tables: { marks: SECOND } });
  await add(source, 'c');
  const file = join(folder, 'target.db');
  layTables(file);
  const target = sqliteAt(file);
  await copyTables(source, writingConnection(target), () => {});
  target.close();
  const copy = await openSqliteDatabase(file);
  assert.deepEqual(await marks(copy), [['c']]);
  assert.deepEqual(await moduleMeta(copy), await moduleMeta(source));
  await source.close();
  await copy.close();
});
