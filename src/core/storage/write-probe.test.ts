import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
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
  now = 240;
  let result: string | undefined;
  const waiting = probe().then((found) => (result = found));
  await turn();
  assert.equal(result, undefined, 'an older result is not used');
  // It waits for the probe, however late that opens the pipe.
  createReadStream(pipe).resume();
  await waiting;
  assert.match(result ?? '', /the system reports/);
  assert.match((await probe()) ?? '', /the system reports/, 'the new result is remembered');
});
