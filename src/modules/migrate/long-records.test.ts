/** Schema changes of records that take long to parse, to check and to write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, parseJson } from '#linkml/json.ts';
import { BEFORE, RENAMED } from '../../../test/support/schemas.ts';
import { CORA, DATABASES, emptyStores, put, storesOf } from '../../../test/support/stores.ts';
import { openSchemaText } from '../../core/schema/schema.ts';
import { Pool } from '../../core/work/pool.ts';
import { DryRuns } from './dry-runs.ts';
import { type Switching, switchSchema, undoSwitch } from './switch.ts';

const LONG = 'x'.repeat(200_000);
const INTEGERS = (schema: string) => schema.replace('nick: {}', 'nick: { range: integer }');

for (const kind of DATABASES)
  test(`${kind}: long records are judged, patched and carried over in threads, and keep the digits of numbers`, async (t) => {
    const stores = await emptyStores(t, kind, INTEGERS(BEFORE));
    const pool = new Pool();
    t.after(() => pool.close());
    const long = { ...stores, pool };
    const people = [
      `{"pid":"ex:a","mail":"a@x.org","nick":12345678901234567890}`,
      `{"pid":"ex:b","mail":"${LONG}","nick":12345678901234567890}`,
      `{"pid":"ex:c","mail":"${LONG}","age":"old"}`,
    ];
    const records = people.map((text) => put(stores, 'Person', parseJson(text) as JsonObject));
    await stores.curated.write(records, CORA);
    const everything = async () =>
      (await stores.curated.list({}, { offset: 0, limit: 9 })).map(({ json }) => json);
    const before = await everything();
    const to = await openSchemaText(INTEGERS(RENAMED), '/two.yaml');

    const dryRun = new DryRuns().start({ stores: long, to, by: 'cora' });
    await dryRun.done;
    assert.equal(pool.started, 2, 'one for each long record');
    assert.deepEqual(
      dryRun.items.map(({ pid, outcome }) => `${pid} ${outcome}`),
      ['ex:a mendable', 'ex:b mendable', 'ex:c newly_invalid'],
    );
    assert.match(dryRun.items[1]!.json, /"nick":12345678901234567890/);

    const corrections = new Map([[`https://example.org/c`, '{"age":98765432109876543210}']]);
    let carried: { readonly json: string } | undefined;
    const switching: Switching = {
      configure: ({ address: _ }, also) => stores.database.transact(also),
      async carry(_draft, { migrate }) {
        carried = await migrate?.({ className: 'Person', json: people[1]! }, 'ex:b');
      },
      stored: (address) => address,
    };
    const request = { to, address: '/two.yaml', chosen: true, corrections, ifValid: true, by: CORA };
    const plan = await switchSchema(long, request, switching);
    assert.equal(plan.records, 3);
    assert.ok(pool.started >= 5, 'and for the refused one');
    assert.match(carried!.json, /^\{"email":"x+","nick":12345678901234567890,"pid":"ex:b"/);
    const [short, first, second] = await everything();
    assert.match(short!, /"nick":12345678901234567890,/);
    assert.match(first!, /^\{"email":"x+","nick":12345678901234567890,/);
    assert.match(second!, /"age":98765432109876543210,/);

    const switched = { ...(await storesOf(stores.database, INTEGERS(RENAMED), '/two.yaml')), pool };
    await undoSwitch(switched, plan.id, CORA, async () => true, switching);
    assert.deepEqual(await everything(), before);
  });

test('a dry run keeps the first records up to ten million characters', async (t) => {
  const stores = await emptyStores(t, 'sqlite', BEFORE);
  const mail = 'x'.repeat(1_500_000);
  for (let n = 0; n < 9; n++)
    await stores.curated.write([put(stores, 'Person', { pid: `ex:p${n}`, mail, age: 'old' })], CORA);
  const { schema: to } = await storesOf(stores.database, RENAMED, '/two.yaml');
  const dryRun = new DryRuns().start({ stores, to, by: 'cora' });
  await dryRun.done;
  assert.deepEqual([dryRun.summary.total, dryRun.items.length], [9, 6]);
});
