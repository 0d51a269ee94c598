/** Threads that answer requests in order. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { ServingThread } from './serving-threads.ts';

/** Echoes; ends without a reply to `end`. */
const ENTRY = `
  import { parentPort, workerData } from 'node:worker_threads';
  let served = 0;
  parentPort.on('message', (request) =>
    request === 'end' ? process.exit() : parentPort.postMessage([workerData, ++served, request]));
`;

test('a thread that has ended fails what it had no reply to, and the next request starts another one', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-thread-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'echo.mjs');
  writeFileSync(file, ENTRY);
  const thread = new ServingThread<unknown, unknown>(pathToFileURL(file), 'data');
  t.after(() => thread.close());
  assert.deepEqual(await Promise.all([thread.ask('a'), thread.ask('b')]), [
    ['data', 1, 'a'],
    ['data', 2, 'b'],
  ]);
  await assert.rejects(
    thread.ask(() => {}),
    { name: 'DataCloneError' },
  );
  const lost = await Promise.allSettled([thread.ask('end'), thread.ask('c')]);
  assert.deepEqual(
    lost.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.deepEqual(await thread.ask('d'), ['data', 1, 'd']);
});
