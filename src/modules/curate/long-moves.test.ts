/** Renames and merges of records that take long to parse, to compare and to check. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, parseJson } from '#linkml/json.ts';
import { BEFORE } from '../../../test/support/schemas.ts';
import { CORA, emptyStores, put } from '../../../test/support/stores.ts';
import { Pool } from '../../core/work/pool.ts';
import { mergeRecords, rename, undoMove } from './moves.ts';

const NUMBERS = BEFORE.replace('age: {}', 'amount: { range: integer }');
const LONG = 'x'.repeat(200_000);

test('long records are renamed and merged in threads, and so are those that refer to them', async (t) => {
  const stores = await emptyStores(t, 'sqlite', BEFORE);
  const pool = new Pool();
  t.after(() => pool.close());
  const people: JsonObject[] = [
    { pid: 'ex:a', mail: 'a@x.org' },
    { pid: 'ex:b', mail: LONG, friend: 'ex:a' },
    { pid: 'ex:c', mail: LONG, nick: 'C' },
  ];
  await stores.curated.write(
    people.map((record) => put(stores, 'Person', record)),
    CORA,
  );
  const moving = { by: CORA, dryRun: false };
  const tasksOf = async (work: Promise<unknown>) => {
    const { started } = pool;
    await work;
    return pool.started - started;
  };
  const long = { ...stores, pool };
  const dry = { by: CORA, dryRun: true };
  const { id } = await rename(long, { from: 'ex:a', to: 'ex:eve' }, moving);
  assert.equal(await tasksOf(undoMove(long, id, CORA)), 1, 'its referrer');
  assert.equal(await tasksOf(rename(long, { from: 'ex:a', to: 'ex:ada' }, dry)), 1, 'its referrer');
  assert.ok((await tasksOf(rename(long, { from: 'ex:a', to: 'ex:ada' }, moving))) > 0);
  assert.ok((await tasksOf(mergeRecords(long, { keep: 'ex:b', drop: 'ex:c', take: {} }, moving))) > 0);
  const record = await stores.curated.get(stores.schema.expand('ex:b')!);
  assert.deepEqual(JSON.parse(record!.json), {
    friend: 'ex:ada',
    mail: LONG,
    nick: 'C',
    pid: 'ex:b',
    schema_type: JSON.parse(record!.json).schema_type,
  });
  const refused = mergeRecords(long, { keep: 'ex:b', drop: 'ex:ada', take: {} }, dry);
  await assert.rejects(refused, { code: 'merge_conflict' });
});

test('a record that is renamed keeps all digits of its numbers', async (t) => {
  const stores = await emptyStores(t, 'sqlite', NUMBERS);
  const text = '{"amount":12345678901234567890,"mail":"a@x.org","pid":"ex:a"}';
  await stores.curated.write([put(stores, 'Person', parseJson(text) as JsonObject)], CORA);
  await rename(stores, { from: 'ex:a', to: 'ex:b' }, { by: CORA, dryRun: false });
  const record = await stores.curated.get(stores.schema.expand('ex:b')!);
  assert.match(record!.json, /"amount":12345678901234567890,/);
});
