/** Writes of several areas in one transaction. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useTwoInstances } from '../../../test/support/two-instances.ts';
import { addSchemaType } from '../../schema-type.ts';
import { BY, expand, put } from '../contract/subject.ts';
import { withSchemaTypeLayer } from '../schema-type-layer.ts';
import type { JointWrite, RecordStore } from '../store.ts';
import type { Database } from './database.ts';
import { openPostgresqlStore } from './store.ts';

const databases = useTwoInstances();

const open = async (name: string, instance = 0) =>
  (await openPostgresqlStore(databases[instance] as Database, name)).store;

type Pair = readonly [RecordStore, Omit<JointWrite, 'by'>];

async function write(pairs: readonly [Pair, ...Pair[]]): Promise<number[][]> {
  const jointOf = ([store]: Pair) => {
    assert.ok(store.joint);
    return store.joint;
  };
  return jointOf(pairs[0]).write(pairs.map((pair) => jointOf(pair).part({ ...pair[1], by: BY })));
}

const iri = (pid: string) => expand(pid) as string;
const KEY = { pid: 'ex:b', iri: iri('ex:b'), className: 'Person' };

test('writes of two areas are made in one transaction, with rows that name the revisions', async () => {
  const [one, other] = [await open('one'), withSchemaTypeLayer(await open('other'), () => 'ex:Person')];
  await one.write([put('ex:z'), put('ex:y')], BY);
  const record = { ...KEY, json: addSchemaType('{"pid":"ex:b"}', 'ex:Person') };
  const typed = { put: record };
  const row = { kind: 'k', id: 'a', keys: ['x'], json: '{}' };
  const rowsAfter = ([revision]: readonly number[]) => [{ ...row, json: JSON.stringify({ revision }) }];
  const revisions = await write([
    [one, { changes: [put('ex:a')], ledger: [{ set: row, expect: 'absent' }], rowsAfter }],
    [other, { changes: [typed, { delete: iri('ex:b') }, typed] }],
  ]);
  assert.deepEqual(revisions, [[3], [1, 2, 3]]);
  assert.deepEqual(JSON.parse((await one.ledger.get('k', 'a'))?.json ?? ''), { revision: 3 });
  assert.equal(await one.count({}), 3);
  assert.equal(await other.count({}), 1);
  assert.equal((await other.get(iri('ex:b')))?.json, record.json);
  const [stored] = await (databases[0] as Database).query<{ json: string }>(
    'SELECT json FROM accession_record WHERE iri_key = $1',
    [iri('ex:b')],
  );
  assert.doesNotMatch(stored?.json ?? '', /schema_type/);
  const [made] = await (databases[0] as Database).query<{ n: number }>(
    `SELECT count(DISTINCT xmin::text) AS n FROM accession_record WHERE iri_key IN ($1, $2)`,
    [iri('ex:a'), iri('ex:b')],
  );
  assert.equal(made?.n, 1);
});

test('if one area refuses its part, no area is changed, and other writes of the group are made', async () => {
  const [one, other] = [await open('refused'), await open('refusing')];
  await other.write([put('ex:taken')], BY);
  const absent = { ...put('ex:taken'), expect: { absent: true } } as const;
  const refused = write([
    [one, { changes: [put('ex:a')] }],
    [other, { changes: [put('ex:b'), absent] }],
  ]);
  const beside = one.write([put('ex:c')], BY);
  await assert.rejects(refused, { code: 'precondition_failed' });
  await beside;
  assert.deepEqual(
    (await one.list({}, { offset: 0, limit: 9 })).map(({ pid }) => pid),
    ['ex:c'],
  );
  assert.equal(await other.count({}), 1);
  assert.equal(await one.revision(), 1);
});

test('two instances that write the same areas in different orders do not wait for each other forever', async () => {
  const names = ['left', 'right'];
  const ROUNDS = 60;
  const lane = async (instance: number) => {
    const stores = await Promise.all(names.map((name) => open(name, instance)));
    const [first, second] = (instance === 0 ? stores : stores.toReversed()) as [RecordStore, RecordStore];
    await Promise.all(
      Array.from({ length: ROUNDS }, (_, n) => {
        const part = { changes: [put(`ex:${instance}-${n}`)] };
        return write([
          [first, part],
          [second, part],
        ]);
      }),
    );
  };
  await Promise.all([lane(0), lane(1)]);
  for (const name of names) {
    const store = await open(name, 1);
    assert.equal(await store.count({}), 2 * ROUNDS);
    assert.equal(await store.revision(), 2 * ROUNDS);
  }
});
