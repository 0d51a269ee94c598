/** Copies of areas between all kinds of backends. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { startPostgresql, type TestServer } from '../../test/support/postgresql.ts';
import { ServiceError } from '../errors.ts';
import { type BackendConfig, openStore } from './backends.ts';
import { BY, expand, put, schemaTypeOf } from './contract/subject.ts';
import { copyArea, summarize } from './copy-area.ts';
import { SILENT_LOG } from './log.ts';
import { openPostgresql } from './postgresql/database.ts';
import { type PostgresqlStores, postgresqlStores } from './postgresql/stores.ts';
import type { RecordStore } from './store.ts';
import { StoreHandles } from './store-handles.ts';

let server: TestServer;
let postgresql: PostgresqlStores;
let root: string;
const handles = new StoreHandles();
before(async () => {
  root = mkdtempSync(join(tmpdir(), 'accession-copies-'));
  server = await startPostgresql();
  const database = await openPostgresql(await server.createDatabase(), { log: SILENT_LOG });
  postgresql = postgresqlStores(database, root);
});
after(async () => {
  await postgresql.database.close();
  await server.close();
  rmSync(root, { recursive: true });
});

const KINDS: readonly BackendConfig[] = [
  { type: 'record_dir+stl', mapping_method: 'digest-md5' },
  { type: 'sqlite' },
  { type: 'postgresql' },
];
const open = (config: BackendConfig, name: string): Promise<RecordStore> =>
  openStore(config, join(root, name), { expand, schemaTypeOf, postgresql, handles });

async function fill(store: RecordStore, count: number): Promise<void> {
  for (let round = 0; round < 3; round++) {
    const numbers = Array.from({ length: count }, (_, n) => n).filter((n) => n % (round + 1) === 0);
    const note = { reason: `round ${round}` };
    await store.write(
      numbers.map((n) => ({ ...put(`ex:${n}`, n % 2 ? 'Person' : 'Robot', { round, n }), note })),
      { ...BY, author: `author ${round}` },
      numbers.map((n) => ({ set: { kind: `kind ${round}`, id: `${n}`, keys: [`${n % 7}`], json: '{}' } })),
    );
  }
  await store.write([{ delete: expand('ex:1') as string }], BY);
}

for (const from of KINDS) {
  for (const to of KINDS) {
    test(`copies an area from ${from.type} to ${to.type}`, async () => {
      const source = await open(from, `from ${from.type} ${to.type}`);
      const target = await open(to, `to ${from.type} ${to.type}`);
      await fill(source, from.type === 'record_dir+stl' || to.type === 'record_dir+stl' ? 60 : 1200);
      const steps: number[] = [];
      const summary = await copyArea(source, target, (_step, done, total) => steps.push(done / total));
      assert.deepEqual(await summarize(target), await summarize(source));
      assert.equal(summary.revision, await source.revision());
      assert.equal(summary.records, await target.count({}));
      assert.equal(steps.at(-1), 1);
      // Again, with nothing to do.
      assert.deepEqual(await copyArea(source, target), summary);
      await source.close();
      await target.close();
    });
  }
}

test('continues a copy that was interrupted', async () => {
  const source = await open({ type: 'sqlite' }, 'interrupted');
  await fill(source, 1500);
  const target = await open({ type: 'postgresql' }, 'continued');
  let pages = 0;
  const failing: RecordStore = {
    ...target,
    restore: (entries, rows) => {
      pages += 1;
      return pages > 3 ? Promise.reject(new Error('killed')) : target.restore(entries, rows);
    },
  };
  await assert.rejects(copyArea(source, failing), /killed/);
  const reached = await target.revision();
  assert.ok(reached > 0 && reached < (await source.revision()));
  await copyArea(source, target);
  assert.deepEqual(await summarize(target), await summarize(source));
  await source.close();
  await target.close();
});

test('refuses a target with other changes, and reports a copy that differs', async () => {
  const source = await open({ type: 'sqlite' }, 'refused');
  await fill(source, 20);
  const other = await open({ type: 'postgresql' }, 'other');
  await other.write([put('ex:other')], BY);
  const incompatible = (pattern: RegExp) => (error: unknown) =>
    error instanceof ServiceError && error.code === 'store_incompatible' && pattern.test(error.message);
  await assert.rejects(copyArea(source, other), incompatible(/not a copy of the source/));
  const target = await open({ type: 'postgresql' }, 'differs');
  await copyArea(source, target);
  await target.write([], BY, [{ set: { kind: 'kind 0', id: 'more', keys: [], json: '{}' } }]);
  await assert.rejects(
    copyArea(source, target),
    incompatible(/ledgerRows: \d+ in the source, \d+ in the target/),
  );
  for (const store of [source, other, target]) await store.close();
});
