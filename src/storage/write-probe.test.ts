import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { writeProbe } from './write-probe.ts';

test('while a probe takes long, the result before it is reported, but not for long', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-probe-'));
  t.after(() => rmSync(folder, { recursive: true }));
  let now = 0;
  const probe = writeProbe(folder, 100, () => now);
  assert.equal(await probe(), undefined);
  // A pipe can only be opened for writing when somebody reads it.
  const pipe = join(folder, `.probe-${process.pid}`);
  execFileSync('mkfifo', [pipe]);
  now = 150;
  assert.equal(await probe(), undefined, 'the result of before');
  now = 250;
  let result: string | undefined;
  const waiting = probe().then((found) => (result = found));
  await delay(50);
  assert.equal(result, undefined, 'an older result is not used');
  closeSync(openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK));
  await waiting;
  assert.match(result ?? '', /the system reports/);
  assert.match((await probe()) ?? '', /the system reports/, 'the new result is remembered');
});
