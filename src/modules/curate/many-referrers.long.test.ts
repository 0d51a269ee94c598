/** Renames of records that many others refer to, while other clients write. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BEFORE } from '../../../test/support/schemas.ts';
import { CORA, DATABASES, emptyStores, put } from '../../../test/support/stores.ts';
import type { CollectionStores } from '../../core/collections/stores.ts';
import { isServiceError, type ServiceError } from '../../core/errors.ts';
import { movesOf } from './moved.ts';
import { listMoves, mergeRecords, rename, undoMove } from './moves.ts';

const MANY = 450;
const moving = { by: CORA, dryRun: false };
const iri = (pid: string) => pid.replace('ex:', 'https://example.org/');

const person = (pid: string, friend: string, more = {}) => ({ pid, mail: 'm', friend, ...more });

async function filled(stores: CollectionStores): Promise<void> {
  const changes = [put(stores, 'Person', person('ex:hub', 'ex:hub'))];
  for (let n = 0; n < MANY; n++)
    changes.push(put(stores, 'Person', person(`ex:p${n}`, 'ex:hub', { friends: ['ex:other', 'ex:hub'] })));
  await stores.curated.write(changes, CORA);
}

async function everything({ curated }: CollectionStores): Promise<string[]> {
  return (await Array.fromAsync(curated.scan({}))).map(({ json }) => json);
}

async function leftovers({ database }: CollectionStores): Promise<number> {
  const [row] = await database.tuples<[number]>('SELECT count(*) FROM accession_patch');
  return row![0];
}

for (const kind of DATABASES) {
  test(`${kind}: a rename reaches every referrer in one transaction, and is undone in one`, async (t) => {
    const stores = await emptyStores(t, kind, BEFORE);
    const { curated } = stores;
    await filled(stores);
    const before = await everything(stores);
    const dry = await rename(stores, { from: 'ex:hub', to: 'ex:center' }, { by: CORA, dryRun: true });
    assert.equal(dry.records, MANY + 1);
    assert.deepEqual(await everything(stores), before);
    const seen: number[] = [];
    const watching = setInterval(async () => {
      const [row] = await stores.database.tuples<[number]>(
        `SELECT count(*) FROM accession_record WHERE json LIKE '%ex:center%'`,
      );
      seen.push(row![0]);
    }, 5);
    const done = await rename(stores, { from: 'ex:hub', to: 'ex:center' }, moving);
    clearInterval(watching);
    assert.equal(done.records, MANY + 1);
    assert.equal(done.changes.length, MANY + 1);
    assert.ok(
      seen.every((found) => found === 0 || found === MANY + 1),
      `${seen}`,
    );
    const after = await everything(stores);
    assert.ok(after.every((json) => json.includes('ex:center') && !json.includes('ex:hub')));
    assert.equal(await movesOf(stores).movedTo(iri('ex:hub')), iri('ex:center'));
    assert.equal(await curated.links.countTo(iri('ex:center')), MANY);
    assert.equal(await curated.links.countTo(iri('ex:hub')), 0);
    assert.deepEqual(
      (await listMoves(stores, 9)).map(({ id }) => id),
      [done.id],
    );

    const undone = await undoMove(stores, done.id, CORA);
    assert.equal(undone.changes.length, MANY + 1);
    assert.deepEqual(await everything(stores), before);
    assert.equal(await curated.links.countTo(iri('ex:hub')), MANY);
    assert.equal(await movesOf(stores).movedTo(iri('ex:hub')), undefined);
    assert.deepEqual([await listMoves(stores, 9), await leftovers(stores)], [[], 0]);
  });

  test(`${kind}: references that are stored while their target is renamed are rewritten, too`, async (t) => {
    const stores = await emptyStores(t, kind, BEFORE);
    const { curated, database } = stores;
    await filled(stores);
    let isRenamed = false;
    let stored = 0;
    const writers = [0, 1, 2].map(async (writer) => {
      for (let n = 0; !isRenamed; n++) {
        const pid = n % 3 === 0 ? `ex:p${n % MANY}` : `ex:late${writer}-${n}`;
        await database.transact(async (draft) => {
          // Who stores after the rename knows the pid of then.
          isRenamed = !(await draft.record(curated.area, iri('ex:hub')));
          if (!isRenamed)
            await draft.write(curated.area, [put(stores, 'Person', person(pid, 'ex:hub'))], CORA);
        });
        stored++;
      }
    });
    await rename(stores, { from: 'ex:hub', to: 'ex:center' }, moving);
    await Promise.all(writers);
    assert.ok(stored > 0);
    const left = (await everything(stores)).filter((json) => json.includes('ex:hub'));
    assert.deepEqual(left, [], `${stored} were stored meanwhile`);
  });

  test(`${kind}: of two undos at once, one is made`, async (t) => {
    const stores = await emptyStores(t, kind, BEFORE);
    await stores.curated.write(
      [put(stores, 'Person', person('ex:a', 'ex:b')), put(stores, 'Person', person('ex:b', 'ex:a'))],
      CORA,
    );
    const before = await everything(stores);
    const { id } = await mergeRecords(
      stores,
      { keep: 'ex:a', drop: 'ex:b', take: { '': 'curated' } },
      moving,
    );
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => undoMove(stores, id, CORA)));
    const refused = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as ServiceError] : []));
    assert.deepEqual(
      refused.map(({ code }) => code),
      ['already_undone', 'already_undone', 'already_undone'],
    );
    assert.deepEqual(await everything(stores), before);
  });

  test(`${kind}: an undo of many is refused if one of the records has changed`, async (t) => {
    const stores = await emptyStores(t, kind, BEFORE);
    await filled(stores);
    const { id } = await rename(stores, { from: 'ex:hub', to: 'ex:center' }, moving);
    await stores.curated.write([put(stores, 'Person', person('ex:p7', 'ex:p8'))], CORA);
    const before = await everything(stores);
    await assert.rejects(
      undoMove(stores, id, CORA),
      (error) => isServiceError(error) && error.code === 'precondition_failed' && /ex:p7/.test(error.message),
    );
    assert.deepEqual(await everything(stores), before);
  });
}
