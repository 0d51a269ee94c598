import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Jobs } from './jobs.ts';

const SILENT = { warn: () => {} };

test('a job runs when it is woken, and once more for calls while it runs', async () => {
  const jobs = new Jobs(SILENT);
  const first = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  let runs = 0;
  const job = jobs.add({
    name: 'count',
    collection: 'c',
    run: async () => {
      runs += 1;
      if (runs === 1) await first.promise;
      else second.resolve();
    },
  });
  assert.deepEqual(
    jobs.list().map(({ name, collection, state }) => [name, collection, state]),
    [['count', 'c', 'idle']],
  );
  job.wake();
  job.wake();
  while (runs === 0) await new Promise(setImmediate);
  assert.equal(jobs.list()[0]?.state, 'running');
  for (let i = 0; i < 3; i++) job.wake();
  first.resolve();
  await second.promise;
  await job.stop();
  assert.equal(runs, 2);
  assert.deepEqual(jobs.list(), []);
});

test('a job that fails is reported, retried, and idle again after a success', async () => {
  const warnings: string[] = [];
  const jobs = new Jobs({ warn: (_details, message) => void warnings.push(message) });
  const done = Promise.withResolvers<void>();
  let runs = 0;
  const states: (string | undefined)[] = [];
  const job = jobs.add({
    name: 'fragile',
    retry: 1,
    run: async () => {
      runs += 1;
      states.push(jobs.list()[0]?.error);
      if (runs < 3) throw new Error(`failure ${runs}`);
      done.resolve();
    },
  });
  job.wake();
  await done.promise;
  await new Promise(setImmediate);
  assert.deepEqual(states, [undefined, 'failure 1', 'failure 2']);
  assert.deepEqual(warnings, ['job failed, will retry']);
  assert.deepEqual(
    jobs.list().map(({ state, error }) => [state, error]),
    [['idle', undefined]],
  );
  await job.stop();
});

test('a job with an interval runs by itself, and shutdown waits for a run in progress', async () => {
  const jobs = new Jobs(SILENT);
  const begun = Promise.withResolvers<void>();
  let ended = false;
  jobs.add({
    name: 'regular',
    every: 1,
    run: async (context) => {
      begun.resolve();
      while (!context.stopping) await new Promise((go) => setTimeout(go, 1));
      await context.yieldIfDue();
      ended = true;
    },
  });
  await begun.promise;
  await jobs.stopAll();
  assert.equal(ended, true);
});
