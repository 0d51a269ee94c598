import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

/** Loads the functions of threads, and sends the URLs of all files that this needs. */
const LOADING = `
const { registerHooks } = require('node:module');
const { parentPort } = require('node:worker_threads');
const loaded = [];
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
import('${new URL('./threads.ts', import.meta.url)}').then(() => parentPort.postMessage(loaded));
`;

test('a thread starts without what sends requests, checks by JSON Schema and finds stems: most tasks need none of it', async () => {
  const [loaded] = (await once(new Worker(LOADING, { eval: true }), 'message')) as [string[]];
  assert.ok(loaded.some((url) => url.endsWith('/src/core/work/tasks.ts')));
  assert.deepEqual(
    loaded.filter((url) => /^node:(http|https|http2|tls)$|\/node_modules\/(ajv|@orama)\//.test(url)),
    [],
  );
});
