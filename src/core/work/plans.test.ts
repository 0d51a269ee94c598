import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { DAY, KEEP } from '../durations.ts';
import { ServiceError } from '../errors.ts';
import { BY, put, record, refuses } from '../storage/contract/subject.ts';
import type { Database } from '../storage/database.ts';
import { openSqliteDatabase } from '../storage/sqlite/sqlite.ts';
import { keepPlan, newPlan } from './kept-plans.ts';
import { discardAbandoned, Staging } from './patches.ts';
import { carryOut, undoPlan } from './plans.ts';

async function opened(t: TestContext): Promise<Database> {
  const directory = mkdtempSync(join(tmpdir(), 'accession-plans-'));
  const database = await openSqliteDatabase(join(directory, 'accession.db'));
  t.after(async () => {
    await database.close();
    rmSync(directory, { recursive: true });
  });
  return database;
}

test('a plan whose commit was reported as of unknown outcome, but was made, can be undone', async (t) => {
  const database = await opened(t);
  const curated = await database.area('curated');
  await curated.write([put('ex:a', 'Person', { name: 'before' })], BY);
  const changing = {
    plan: await newPlan('rename', { database, curated, name: 'notes' }),
    by: BY,
    note: {},
    areas: async () => [curated],
  };
  const lost = new ServiceError('storage_unavailable', 'It is unknown whether the change was made.');

  const carrying = carryOut(
    database,
    {
      ...changing,
      candidates: (store) => store.scan({}) as AsyncIterable<never>,
      patchOf: (before) => ({ before, after: record('ex:a', 'Person', { name: 'after' }) }),
      async commit(prepare) {
        await database.transact(prepare);
        throw lost;
      },
    },
    async (_, patch) => ({ records: await patch() }),
  );
  await refuses(carrying, 'storage_unavailable');
  const name = async () => JSON.parse((await curated.get('https://example.org/a'))!.json).name;
  assert.equal(await name(), 'after');

  const undo = { ...changing, plan: await newPlan('rename', { database, curated, name: 'notes' }) };
  await undoPlan(database, changing.plan.id, {
    ...undo,
    find: async () => ({}),
    prepare: async () => undefined,
  });
  assert.equal(await name(), 'before');
});

test('a plan that is made after the clock was set back is newer than those before', async (t) => {
  const database = await opened(t);
  const source = { database, curated: await database.area('curated'), name: 'notes' };
  const now = Date.now();
  t.mock.timers.enable({ apis: ['Date'], now: now + 365 * DAY });
  const ahead = await newPlan('edit', source);
  await database.transact(async (draft) => keepPlan(draft, ahead, 'done', {}));
  t.mock.timers.setTime(now);
  const later = await newPlan('edit', source);
  assert.ok(later.id > ahead.id, `${later.id} ${ahead.id}`);
  assert.equal(later.time, new Date(now).toISOString());
});

test('a plan that is being staged is discarded if it was seen for long, whatever the clock of its process was', async (t) => {
  const database = await opened(t);
  const curated = await database.area('curated');
  const ofOtherClock = await newPlan('rename', { database, curated, name: 'notes' });
  const staging = new Staging(database, { ...ofOtherClock, id: `2000-01-01${ofOtherClock.id.slice(10)}` });
  await staging.add(curated.area, { before: null, after: record('ex:a', 'Person') });
  await staging.end();
  const staged = async () => (await database.tuples<[number]>('SELECT count(*) FROM accession_patch'))[0]![0];
  const seen = new Map<string, number>();
  for (const [time, left] of [
    [0, 1],
    [KEEP.plan - 1, 1],
    [KEEP.plan, 0],
  ] as const) {
    await discardAbandoned(database, curated.area, seen, time);
    assert.equal(await staged(), left);
  }
  await discardAbandoned(database, curated.area, seen, KEEP.plan);
  assert.equal(seen.size, 0);
});
