/** An area and its log on a disk without room. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { scratch } from './parts.support.ts';

const run = promisify(execFile);

test('the disk is full: a write is refused, and there is an entry for each acknowledged change', async (t) => {
  const script = join(import.meta.dirname, 'full-disk.support.ts');
  // A limit on the size of files stands for the disk: what would grow beyond it can't be written.
  const limit = 'ulimit -f 2048; trap "" XFSZ; exec "$0" "$@"';
  const { stdout, stderr } = await run('bash', ['-c', limit, process.execPath, script, await scratch(t)]);
  assert.equal(stderr, '');
  assert.match(stdout, /^refused: Writing failed, and nothing was changed.*\ntrue\n0\n$/);
});
