import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { isServiceError } from '../errors.ts';
import { workFor } from './admission.ts';
import { Pool, type PoolOptions, type Task } from './pool.ts';

/** The exports of the file for the tests. */
type Functions = {
  readonly add: Task<readonly [number, number], number>;
  readonly refuse: Task<string, never>;
  readonly fail: Task<string, never>;
  readonly exit: Task<void, never>;
  readonly block: Task<number, number>;
  readonly wait: Task<SharedArrayBuffer, number>;
  readonly forever: Task<void, never>;
  readonly sizeOf: Task<Uint8Array, number>;
};

const ENTRY = `
import { threadId } from 'node:worker_threads';
import { inThread, ServiceError } from '${new URL('../errors.ts', import.meta.url)}';
export const add = ([a, b]) => a + b;
export const refuse = inThread((msg) => { throw new ServiceError('record_invalid', msg, [{ type: 'x', loc: ['a'], msg }]); });
export const fail = inThread((message) => { throw new TypeError(message); });
export const exit = () => process.exit(1);
export const block = (ms) => { const end = Date.now() + ms; while (Date.now() < end); return threadId; };
export const wait = (gate) => { Atomics.wait(new Int32Array(gate), 0, 0); return threadId; };
export const sizeOf = (bytes) => bytes.length;
export const forever = () => { for (;;); };
`;

const directory = mkdtempSync(join(tmpdir(), 'accession-pool-'));
after(() => rmSync(directory, { recursive: true }));
const entry = pathToFileURL(join(directory, 'functions.mjs'));
writeFileSync(entry, ENTRY);
const functions: Functions & Record<string, Task> = await import(entry.href);
const { add, refuse, fail, exit, block, wait, forever, sizeOf } = functions;

function poolOf(t: TestContext, options: PoolOptions): Pool {
  const pool = new Pool({ tasks: { entry, functions }, threads: 1, ...options });
  t.after(() => pool.close());
  return pool;
}

const hasCode = (code: string) => (error: unknown) => isServiceError(error) && error.code === code;

/** A task that holds its thread until it is released. */
function held(pool: Pool): { readonly done: Promise<number>; release(): void } {
  const gate = new SharedArrayBuffer(4);
  const done = pool.run(wait, gate);
  return {
    done,
    release() {
      Atomics.store(new Int32Array(gate), 0, 1);
      Atomics.notify(new Int32Array(gate), 0);
    },
  };
}

test('a function gets a value and returns one, and an argument of another type does not compile', async (t) => {
  const pool = poolOf(t, {});
  assert.equal(await pool.run(add, [1, 2]), 3);
  // @ts-expect-error It takes two numbers.
  assert.equal(await pool.run(add, ['1', 2]), '12');
});

test('a function that the threads do not have is refused', async (t) => {
  const pool = poolOf(t, {});
  await assert.rejects(
    pool.run(async () => 1, undefined),
    /do not have this function/,
  );
});

test('moved memory is not copied', async (t) => {
  const bytes = new Uint8Array(1000);
  assert.equal(await poolOf(t, {}).run(sizeOf, bytes, [bytes.buffer]), 1000);
  assert.equal(bytes.length, 0);
});

test('a refusal keeps its code and its problems, and another error its message', async (t) => {
  const pool = poolOf(t, {});
  await assert.rejects(pool.run(refuse, 'no such thing'), (error) => {
    assert.ok(isServiceError(error));
    assert.equal(error.code, 'record_invalid');
    assert.deepEqual(error.problems, [{ type: 'x', loc: ['a'], msg: 'no such thing' }]);
    return true;
  });
  await assert.rejects(pool.run(fail, 'a bug'), { message: 'a bug' });
  assert.equal(await pool.run(add, [1, 2]), 3);
});

test('the event loop turns while a thread works', async (t) => {
  const pool = poolOf(t, {});
  const { done, release } = held(pool);
  for (let turns = 0; turns < 100; turns++) await nextTurn();
  release();
  assert.equal(typeof (await done), 'number');
});

test('more tasks than threads wait, and all are done, by no more threads than allowed', async (t) => {
  const pool = poolOf(t, { threads: 2 });
  const ids = await Promise.all(Array.from({ length: 9 }, () => pool.run(block, 5)));
  assert.equal(ids.length, 9);
  assert.ok(new Set(ids).size <= 2);
});

test('one client has an eighth of the threads, or one, however many tasks it has', async (t) => {
  const pool = poolOf(t, { threads: 2 });
  const { done, release } = workFor('ann', () => held(pool));
  let hasWaited = true;
  const waiting = workFor('ann', () => pool.run(add, [1, 1])).finally(() => {
    hasWaited = false;
  });
  assert.equal(await workFor('bob', () => pool.run(add, [3, 3])), 6);
  assert.ok(hasWaited);
  release();
  await done;
  assert.equal(await waiting, 2);
});

test('clients that wait for a thread take turns', async (t) => {
  const pool = poolOf(t, {});
  const { done, release } = held(pool);
  const order: string[] = [];
  const tasks = ['ann', 'ann', 'ann', 'bob', 'bob', 'eve'].map(async (client) => {
    await workFor(client, () => pool.run(add, [1, 1]));
    order.push(client);
  });
  release();
  await Promise.all([done, ...tasks]);
  assert.deepEqual(order, ['ann', 'bob', 'eve', 'ann', 'bob', 'ann']);
});

test('a task that waits too long for a thread is refused as busy', async (t) => {
  const pool = poolOf(t, { limit: 500 });
  const endless = Array.from({ length: 4 }, () => pool.run(forever, undefined));
  const codes = await Promise.all(endless.map((task) => task.catch(({ code }) => code)));
  assert.deepEqual(codes, ['task_timeout', 'busy', 'busy', 'busy']);
});

test('a task that takes longer than the limit is ended, and those that wait are done', async (t) => {
  const pool = poolOf(t, {});
  await pool.run(add, [0, 0]);
  const endless = pool.run(forever, undefined, [], 500);
  const waiting = pool.run(add, [1, 2]);
  await assert.rejects(endless, hasCode('task_timeout'));
  assert.equal(await waiting, 3);
  assert.equal(await pool.run(add, [2, 2]), 4);
});

test('a thread that ends fails its task, and the next one gets another thread', async (t) => {
  const pool = poolOf(t, {});
  const failing = pool.run(exit, undefined);
  const waiting = pool.run(add, [1, 2]);
  await assert.rejects(failing, /exited/);
  assert.equal(await waiting, 3);
});

test('if a thread cannot start, its tasks are refused as busy, and the next ones have another', async (t) => {
  const marker = join(directory, 'broken');
  const fragile = pathToFileURL(join(directory, 'fragile.mjs'));
  const lines = [
    "import { existsSync } from 'node:fs';",
    `if (existsSync('${marker}')) throw new Error('no memory');`,
  ];
  writeFileSync(fragile, `${lines.join('\n')}\n${ENTRY}`);
  const pool = poolOf(t, { tasks: { entry: fragile, functions } });
  writeFileSync(marker, '');
  const failing = [pool.run(add, [1, 2]), pool.run(add, [1, 2])];
  await Promise.all(failing.map((task) => assert.rejects(task, hasCode('busy'))));
  rmSync(marker);
  assert.equal(await pool.run(add, [1, 2]), 3);
});

test('the end of a pool settles what runs and what waits, and what comes later', async (t) => {
  const pool = poolOf(t, {});
  await pool.run(add, [0, 0]);
  const tasks = [pool.run(forever, undefined), pool.run(add, [1, 2]), pool.run(add, [1, 2])];
  const ended = tasks.map((task) => assert.rejects(task, hasCode('stopping')));
  await pool.close();
  await Promise.all(ended);
  await assert.rejects(pool.run(add, [1, 2]), hasCode('stopping'));
});
