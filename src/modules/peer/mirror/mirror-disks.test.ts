/** Mirrored areas on full disks, and with two instances on one PostgreSQL database. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { ownDatabase } from '../../../../test/support/postgresql.ts';
import { setReadOnly, smallDisk } from '../../../../test/support/small-disk.ts';
import { all, BY, pids, put } from '../../../core/storage/contract/subject.ts';
import { openSqliteDatabase } from '../../../core/storage/sqlite/sqlite.ts';
import { assertMirrored, type Mirrored, type MirroredOptions, mirrored } from './mirrored.support.ts';

const iriOf = (pid: string) => pid.replace('ex:', 'https://example.org/');

/** Writes pairs of records until the disk is full, and some that are refused. */
async function fillWithPairs({ store }: Pick<Mirrored, 'store'>, padding: string): Promise<string[]> {
  const kept: string[] = [];
  for (let n = 0, refusals = 0; refusals < 5; n++) {
    const pair = [`ex:${n}`, `ex:${n}-twin`];
    const outcome = await store
      .write(
        pair.map((pid) => put(pid, 'Person', { padding })),
        BY,
      )
      .then(
        () => 'written',
        (error: { code: string }) => error.code,
      );
    if (outcome === 'written') kept.push(...pair);
    else refusals += 1;
    if (outcome !== 'written') assert.equal(outcome, 'storage_full');
  }
  return kept;
}

test('a full disk of files refuses writes with nothing half done, and is forgotten when there is room', async (t) => {
  const disk = smallDisk(t, 2);
  if (disk === undefined) return t.skip('mounting is not allowed here');
  // The database is elsewhere: the files alone are what does not fit.
  const subject = await mirrored(t, { directory: join(disk, 'area') });
  const { store, directory } = subject;
  const ballast = join(disk, 'ballast');
  writeFileSync(ballast, Buffer.alloc(300_000));
  const kept = await fillWithPairs(subject, 'x'.repeat(20_000));
  assert.ok(kept.length > 0);
  await assertMirrored(subject);
  assert.deepEqual(new Set(pids(await all(store))), new Set(kept));
  rmSync(ballast);
  await store.write([put('ex:afterwards', 'Person', { padding: 'x'.repeat(20_000) })], BY);
  await subject.reopen();
  await assertMirrored(subject);
  assert.deepEqual(new Set(pids(await all(subject.store))), new Set([...kept, 'ex:afterwards']));
  assert.ok(existsSync(directory));
});

test('writes to a read-only file system are refused with the reason, and go on when it can be written', async (t) => {
  const disk = smallDisk(t, 2);
  if (disk === undefined) return t.skip('mounting is not allowed here');
  const subject = await mirrored(t, { directory: join(disk, 'area') });
  await subject.store.write([put('ex:before')], BY);
  setReadOnly(disk, true);
  await assert.rejects(subject.store.write([put('ex:during')], BY), {
    code: 'storage_unavailable',
    message: /^Nothing was changed: .*: their file system is read-only\.$/,
  });
  setReadOnly(disk, false);
  await subject.store.write([put('ex:after')], BY);
  assert.deepEqual(pids(await all(subject.store)), ['ex:after', 'ex:before']);
  await assertMirrored(subject);
});

test('a database on a read-only file system is not opened, and the message has the reason', async (t) => {
  const disk = smallDisk(t, 4);
  if (disk === undefined) return t.skip('mounting is not allowed here');
  const file = join(disk, 'accession.db');
  await (await openSqliteDatabase(file)).close();
  setReadOnly(disk, true);
  for (const readOnly of [false, true])
    await assert.rejects(openSqliteDatabase(file, { readOnly }), {
      code: 'storage_unavailable',
      message: /the file system of .* is read-only\./,
    });
});

test('a file that cannot be put into place is a fault, and is made when it can be', async (t) => {
  const subject = await mirrored(t);
  const { store, directory, mirror } = subject;
  // A file is where the folder of the class should be.
  writeFileSync(join(directory, 'Robot'), '');
  await store.write([put('ex:a', 'Person', { n: 1 })], BY);
  await store.write([put('ex:a', 'Robot', { n: 2 }), put('ex:b')], BY);
  const [fault, ...others] = await mirror.faults();
  assert.match(`${fault?.path} ${fault?.message}`, /^Robot\/\w+\.yaml it can't be written: /);
  assert.deepEqual(others, []);
  await mirror.settle();
  rmSync(join(directory, 'Robot'));
  await subject.reopen();
  await assertMirrored(subject);
  assert.match((await subject.store.get(iriOf('ex:a')))?.json ?? '', /"n":2/);
});

/** Two instances on one database and one directory. */
async function twoInstances(t: TestContext, options: MirroredOptions = {}): Promise<[Mirrored, Mirrored]> {
  const url = await ownDatabase();
  const one = await mirrored(t, { ...options, url });
  const two = await mirrored(t, { ...options, url, root: one.root });
  return [one, two];
}

/** Files move while they are read, so that reading them fails, too. */
async function eventuallyMirrored(subject: Mirrored): Promise<void> {
  await eventually('the files of all records', () =>
    assertMirrored(subject).then(
      () => true,
      () => false,
    ),
  );
}

test('PostgreSQL: the instance that leads makes the files of all', async (t) => {
  const [one, two] = await twoInstances(t);
  for (let n = 0; n < 20; n++) {
    const { store } = n % 2 ? one : two;
    await store.write([put(`ex:${n % 7}`, n % 3 ? 'Person' : 'Robot', { n })], BY);
  }
  await two.store.write([{ delete: iriOf('ex:1') }], BY);
  await eventuallyMirrored(one);
  // When it ends, the other one goes on.
  await one.close();
  await two.store.write([put('ex:later')], BY);
  await eventuallyMirrored(two);
});

test('PostgreSQL: changes from outside are taken in once, and those at the same time as a write have entries', async (t) => {
  const [one, two] = await twoInstances(t);
  mkdirSync(join(one.directory, 'Person'), { recursive: true });
  one.write('Person/jane.yaml', 'pid: ex:jane\nn: 1\n');
  await eventually('the new file', async () => (await two.store.count({})) === 1);
  await eventually('no fault', async () => (await one.mirror.faults()).length === 0);
  await two.store.write([put('ex:jane', 'Person', { n: 2 })], BY);
  one.write('Person/jane.yaml', 'pid: ex:jane\nn: 3\n');
  await eventually('the edit', async () => (await two.store.entries({ limit: 10 })).length === 3);
  const entries = await two.store.entries({ limit: 10 });
  assert.deepEqual(
    entries.map(({ json, committer }) => [(JSON.parse(json!) as { n: number }).n, committer === null]),
    [
      [1, true],
      [2, false],
      [3, true],
    ],
  );
});
