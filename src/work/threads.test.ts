import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ServiceError } from '../errors.ts';
import { Threads } from './threads.ts';

/** Tasks that count, wait, fail and end. */
const ENTRY = `
import { parentPort, threadId } from 'node:worker_threads';
let last = 0;
parentPort.on('message', (request) => {
  if ('end' in request) return parentPort.postMessage({ done: true });
  const { task, input, next } = request;
  if (task === 'fail') return parentPort.postMessage({ error: { code: 'record_invalid', message: input, problems: [] } });
  if (task === 'exit') process.exit(1);
  if (task === 'block') { const end = Date.now() + input; while (Date.now() < end); return parentPort.postMessage({ value: threadId, done: false }); }
  if (task === 'count') last = input; else last += next ?? 1;
  parentPort.postMessage({ value: last, done: last > 10 });
});
`;

function threads(t: TestContext, most: number): Threads {
  const directory = mkdtempSync(join(tmpdir(), 'accession-threads-'));
  const file = join(directory, 'entry.mjs');
  writeFileSync(file, ENTRY);
  const made = new Threads(pathToFileURL(file), most);
  t.after(async () => {
    await made.close();
    rmSync(directory, { recursive: true });
  });
  return made;
}

test('a conversation yields results, and sends what it is given in return', async (t) => {
  const conversation = threads(t, 1).run('count', 1);
  assert.deepEqual(await conversation.next(), { value: 1, done: false });
  assert.deepEqual(await conversation.next(), { value: 2, done: false });
  assert.deepEqual(await conversation.next(7), { value: 9, done: false });
  assert.deepEqual(await conversation.next(5), { value: 14, done: true });
});

test('the event loop turns while a thread works', async (t) => {
  const pool = threads(t, 1);
  let turns = 0;
  let isDone = false;
  const result = pool.result<number>('block', 200).finally(() => {
    isDone = true;
  });
  while (!isDone) {
    await nextTurn();
    turns++;
  }
  await result;
  assert.ok(turns > 10, `${turns} turns`);
});

test('more tasks than threads wait, and all are done, by no more threads than allowed', async (t) => {
  const pool = threads(t, 2);
  const ids = await Promise.all(Array.from({ length: 9 }, () => pool.result<number>('block', 5)));
  assert.equal(ids.length, 9);
  assert.ok(new Set(ids).size <= 2);
  assert.deepEqual(pool.counts, { started: 9, waiting: 0 });
});

test('a task that refuses its input does so with the code, and the thread goes on', async (t) => {
  const pool = threads(t, 1);
  await assert.rejects(pool.result('fail', 'no such thing'), (error) => {
    return (
      error instanceof ServiceError && error.code === 'record_invalid' && error.message === 'no such thing'
    );
  });
  assert.equal(await pool.result('count', 3), 3);
});

test('a thread that ends fails its task, and the next one gets another thread', async (t) => {
  const pool = threads(t, 1);
  const failing = pool.result('exit', undefined);
  const waiting = pool.result('count', 4);
  await assert.rejects(failing, /ended/);
  assert.equal(await waiting, 4);
});

test('a conversation that is left early releases its thread', async (t) => {
  const pool = threads(t, 1);
  for await (const value of pool.run('count', 1)) if (value === 2) break;
  assert.equal(await pool.result('count', 5), 5);
});

test('after a task with a large input another thread goes on, so that its memory is free', async (t) => {
  const made = threads(t, 1);
  const threadOf = (moved: readonly ArrayBuffer[]) => made.result<number>('block', 1, moved);
  const first = await threadOf([]);
  assert.equal(await threadOf([new ArrayBuffer(1000)]), first);
  assert.equal(await threadOf([new ArrayBuffer(2 ** 21)]), first);
  assert.notEqual(await threadOf([]), first);
});
