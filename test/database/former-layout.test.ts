/** Databases of release 0.3, whose entries and references have no policies: they are upgraded when the service opens them, and lose nothing. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import pg from 'pg';
import { BY, put } from '../../src/core/storage/contract/subject.ts';
import type { Database } from '../../src/core/storage/database.ts';
import {
  addPolicyTag,
  hasPolicyTag,
  indexPolicies,
  isPolicyIndexed,
} from '../../src/core/storage/policy-column.ts';
import { openPostgresqlDatabase } from '../../src/core/storage/postgresql/postgresql.ts';
import { openSqliteDatabase } from '../../src/core/storage/sqlite/sqlite.ts';
import type { RecordStore } from '../../src/core/storage/store.ts';
import { policyTag, Visibility } from '../../src/core/storage/visibility.ts';
import { ownDatabase } from '../support/postgresql.ts';
import { sqliteAt } from '../support/sqlite.ts';

const TAG = policyTag(['ex:policy']);

/** Leads a database back to the layout of release 0.3. */
const BACK = `
  DROP INDEX accession_entry_policies; DROP INDEX accession_entry_former_policy; DROP INDEX accession_link_policy;
  DROP INDEX accession_entry_made; DROP INDEX accession_entry_removed;
  ALTER TABLE accession_entry DROP COLUMN policy; ALTER TABLE accession_entry DROP COLUMN former_policy;
  ALTER TABLE accession_entry DROP COLUMN policies; ALTER TABLE accession_entry DROP COLUMN record;
  DROP TABLE accession_slot; DROP TABLE accession_kind; DROP TABLE accession_value;
  ALTER TABLE accession_link DROP COLUMN policy;
  DROP TABLE accession_word; DROP TABLE accession_doc;
  UPDATE accession_meta SET value = '1' WHERE key = 'layout';
`;

type Engine = {
  open(options?: { readonly readOnly?: boolean }): Promise<Database>;
  run(sql: string): Promise<void>;
};

const ENGINES: readonly [name: string, make: (t: { after(end: () => void): void }) => Promise<Engine>][] = [
  [
    'SQLite',
    async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'accession-former-layout-'));
      t.after(() => rmSync(folder, { recursive: true, force: true }));
      const file = join(folder, 'accession.db');
      return {
        open: (options) => openSqliteDatabase(file, options),
        async run(sql) {
          const database = sqliteAt(file);
          database.exec(sql);
          database.close();
        },
      };
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const url = await ownDatabase();
      return {
        open: (options) => openPostgresqlDatabase(url, options),
        async run(sql) {
          const client = new pg.Client(url);
          await client.connect();
          await client.query(sql);
          await client.end();
        },
      };
    },
  ],
];

const named = (pid: string, policy?: string) =>
  put(pid, 'Person', policy === undefined ? {} : { annotations: { 'ex:policy': policy } });

async function read(store: RecordStore): Promise<unknown[]> {
  const seen = [undefined, ['x'], []].map((names) => store.as(names && new Visibility(TAG, null, names)));
  return Promise.all(
    seen.map(async (one) => [
      await one.entries({ limit: 100 }),
      (await one.feed({ after: 0, limit: 100 })).changes,
    ]),
  );
}

for (const [name, make] of ENGINES)
  describe(`a database of release 0.3 on ${name}`, () => {
    test('is upgraded, answers as before, and has the policies of its changes when they are indexed', async (t) => {
      const { open, run } = await make(t);
      const former = await open();
      const store = await former.area('c');
      await addPolicyTag(former, store.area, TAG);
      await store.write([named('ex:a', 'x'), named('ex:b', 'y'), named('ex:c')], BY);
      await store.write([named('ex:a', 'y'), named('ex:b', 'x'), { delete: 'https://example.org/c' }], BY);
      const before = await read(store);
      await former.close();
      await run(BACK);
      await assert.rejects(open({ readOnly: true }), { code: 'store_incompatible' });
      const present = await open();
      const upgraded = await present.area('c');
      assert.equal(await hasPolicyTag(present, upgraded.area, TAG), true);
      assert.equal(await isPolicyIndexed(present, upgraded.area, TAG), false);
      assert.deepEqual(await read(upgraded), before);
      await indexPolicies(present, upgraded.area, TAG);
      assert.deepEqual(await read(upgraded), before);
      await upgraded.write([named('ex:d', 'x')], BY);
      const [last] = await upgraded
        .as(new Visibility(TAG, null, ['x']))
        .entries({ newestFirst: true, limit: 1 });
      assert.equal(last?.pid, 'ex:d');
      await present.close();
      await (await open({ readOnly: true })).close();
    });

    if (name === 'PostgreSQL')
      test('has indexes that do not cover values and have long lists of what was added, which changes', async (t) => {
        const { open, run } = await make(t);
        await (await open()).close();
        await run(`ALTER TABLE accession_value DROP CONSTRAINT accession_value_pkey,
          ADD PRIMARY KEY (slot, number, value, record);
          ALTER INDEX accession_word_words RESET (gin_pending_list_limit);
          ALTER INDEX accession_text_trigrams RESET (gin_pending_list_limit); UPDATE accession_meta SET value = '5' WHERE key = 'layout'`);
        const present = await open();
        const rows = await present.tuples<[string]>(
          `SELECT pg_get_indexdef(i::regclass) FROM unnest($1::text[]) i`,
          [['accession_value_pkey', 'accession_word_words', 'accession_text_trigrams']],
        );
        const expected = [/INCLUDE \(kind, first\)/, ...[1, 2].map(() => /gin_pending_list_limit='512'/)];
        for (const [at, [definition]] of rows.entries()) assert.match(definition, expected[at]!);
        assert.equal(rows.length, expected.length);
        await present.close();
      });

    if (name === 'PostgreSQL')
      test('has words of titles once and indexes without the numbers of records, which changes', async (t) => {
        const { open, run } = await make(t);
        await (await open()).close();
        await run(`DROP INDEX accession_record_order; DROP INDEX accession_record_class;
          CREATE INDEX accession_record_order ON accession_record (area, pid, iri, class_name, policy);
          CREATE INDEX accession_record_class ON accession_record (area, class_name, pid, iri, policy);
          INSERT INTO accession_cursor (name, area, revision, version) VALUES ('words', 7, 1, 'a'), ('text', 7, 1, 'a');
          UPDATE accession_meta SET value = '6' WHERE key = 'layout'`);
        const present = await open();
        const cursors = 'SELECT name, version FROM accession_cursor WHERE area = 7 ORDER BY name';
        const isAgain = await present.tuples(cursors);
        assert.deepEqual(isAgain, [
          ['text', 'a'],
          ['words', ''],
        ]);
        const rows = await present.tuples<[string]>(
          `SELECT pg_get_indexdef(i::regclass) FROM unnest($1::text[]) i`,
          [['accession_record_order', 'accession_record_class']],
        );
        for (const [definition] of rows) assert.match(definition, /INCLUDE \(id\)/);
        assert.equal(rows.length, 2);
        await present.close();
      });

    test('is left alone by a later layout', async (t) => {
      const { open, run } = await make(t);
      await (await open()).close();
      await run("UPDATE accession_meta SET value = '99' WHERE key = 'layout'");
      await assert.rejects(open(), { code: 'store_incompatible' });
    });
  });

test('a process beside the owner leaves the upgrade to the owner', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-former-layout-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'accession.db');
  await (await openSqliteDatabase(file)).close();
  const database = sqliteAt(file);
  database.exec(BACK);
  await assert.rejects(openSqliteDatabase(file, { beside: true }), { code: 'store_incompatible' });
  assert.deepEqual(
    { ...database.prepare("SELECT value FROM accession_meta WHERE key = 'layout'").get() },
    { value: '1' },
  );
  database.close();
});
