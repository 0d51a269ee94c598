/** Schema changes of many records, while other clients write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BEFORE, RENAMED } from '../../../test/support/schemas.ts';
import { CORA, DATABASES, emptyStores, put, storesOf } from '../../../test/support/stores.ts';
import { ofTier } from '../../../test/support/tier.ts';
import type { CollectionStores } from '../../core/collections/stores.ts';
import { isServiceError } from '../../core/errors.ts';
import { openSchemaText } from '../../core/schema/schema.ts';
import { listSwitches, type Switching, switchSchema, undoSwitch } from './switch.ts';

const MANY = 450;
const person = (pid: string, more = {}) => ({ pid, mail: `${pid.slice(3)}@x.org`, ...more });

/** The configuration of the collection, as far as a switch knows it: the address of its schema. */
function configured({ database }: CollectionStores) {
  const state = { address: '/one.yaml' };
  const switching: Switching = {
    configure: ({ address }, also) =>
      database.transact(also).then(() => {
        state.address = address;
      }),
    carry: async () => {},
    stored: (address) => address,
  };
  return { state, switching };
}

async function filled(stores: CollectionStores): Promise<void> {
  const curated = Array.from({ length: MANY }, (_, n) => put(stores, 'Person', person(`ex:p${n}`)));
  await stores.curated.write([...curated, put(stores, 'Gadget', { pid: 'ex:saw', weight: 3 })], CORA);
  const zone = await stores.database.area('c/incoming/ann');
  await zone.write(
    Array.from({ length: MANY }, (_, n) => put(stores, 'Person', person(`ex:z${n}`))),
    CORA,
  );
}

async function everything({ database }: CollectionStores): Promise<string[]> {
  return (await database.tuples<[string]>('SELECT json FROM accession_record ORDER BY area, pid')).map(
    ([json]) => json,
  );
}

for (const kind of ofTier(DATABASES)) {
  test(`${kind}: a switch patches all areas in one transaction, and is undone in one`, async (t) => {
    const stores = await emptyStores(t, kind, BEFORE);
    await filled(stores);
    const before = await everything(stores);
    const { state, switching } = configured(stores);
    const to = await openSchemaText(RENAMED, '/two.yaml');
    const request = { to, address: '/two.yaml', chosen: true, ifValid: true, by: CORA };
    const plan = await switchSchema(stores, request, switching);
    assert.deepEqual([plan.records, plan.state, state.address], [2 * MANY, 'done', '/two.yaml']);
    const after = await everything(stores);
    assert.equal(after.filter((json) => /"email".*"schema_type":"ex:Human"/.test(json)).length, 2 * MANY);
    assert.equal(after.filter((json) => json.includes('"mail"')).length, 0);

    const switched = await storesOf(stores.database, RENAMED, '/two.yaml');
    const isThere = async () => true;
    const undone = await undoSwitch(switched, plan.id, CORA, isThere, switching);
    assert.deepEqual([undone.undoes, undone.records], [plan.id, 2 * MANY]);
    assert.deepEqual(await everything(stores), before);
    const states = (await listSwitches(stores, 9)).map(({ state }) => state);
    assert.deepEqual(states, ['done', 'undone']);
    const [left] = await stores.database.tuples('SELECT count(*) FROM accession_patch');
    assert.deepEqual(left, [0]);
    await assert.rejects(undoSwitch(switched, plan.id, CORA, isThere, switching), {
      code: 'precondition_failed',
    });
  });

  test(`${kind}: what is stored, changed and deleted meanwhile is patched as it is then`, async (t) => {
    const stores = await emptyStores(t, kind, BEFORE);
    const { database } = stores;
    await filled(stores);
    const { state, switching } = configured(stores);
    let stored = 0;
    let isSwitched = false;
    const writers = ['ann', 'ben', 'curated'].map(async (label) => {
      const area = await database.area(label === 'curated' ? 'c/curated' : `c/incoming/${label}`);
      for (let n = 0; !isSwitched; n++) {
        await database.transact(async (draft) => {
          const [plan] = await draft.tuples(`SELECT id FROM accession_plan WHERE state = 'done'`);
          isSwitched = plan !== undefined;
          if (isSwitched) return;
          const pid = n % 2 === 0 ? `ex:new${n}` : `ex:${label === 'curated' ? 'p' : 'z'}${n % MANY}`;
          const present = await draft.record(area.area, pid.replace('ex:', 'https://example.org/'));
          const change =
            present && n % 5 === 0
              ? { delete: pid.replace('ex:', 'https://example.org/') }
              : put(stores, 'Person', person(pid, { nick: `n${n}` }));
          await draft.write(area.area, [change], CORA);
        });
        stored++;
      }
    });
    const to = await openSchemaText(RENAMED, '/two.yaml');
    const request = { to, address: '/two.yaml', chosen: true, ifValid: true, by: CORA };
    const { records } = await switchSchema(stores, request, switching);
    await Promise.all(writers);
    assert.ok(stored > 3);
    assert.equal(state.address, '/two.yaml');
    const texts = await everything(stores);
    assert.deepEqual(
      texts.filter((json) => json.includes('"mail"')),
      [],
    );
    assert.equal(texts.length - 1, records);
  });

  test(`${kind}: a switch that is refused leaves nothing`, async (t) => {
    const stores = await emptyStores(t, kind, BEFORE);
    await filled(stores);
    await stores.curated.write([put(stores, 'Person', person('ex:old', { age: 'old' }))], CORA);
    const before = await everything(stores);
    const { state, switching } = configured(stores);
    const to = await openSchemaText(RENAMED, '/two.yaml');
    const request = { to, address: '/two.yaml', chosen: true, ifValid: true, by: CORA };
    await assert.rejects(
      switchSchema(stores, request, switching),
      (error) =>
        isServiceError(error) &&
        error.code === 'schema_breaks_records' &&
        /ex:old/.test(JSON.stringify(error.problems)),
    );
    assert.deepEqual([await everything(stores), state.address], [before, '/one.yaml']);
    const rows = await stores.database.tuples(
      'SELECT 1 FROM accession_patch UNION ALL SELECT 1 FROM accession_plan',
    );
    assert.deepEqual(rows, []);
  });
}
