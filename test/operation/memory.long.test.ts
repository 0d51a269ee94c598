import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

test('a record with 2 million values is written with some times the memory of its text', () => {
  const script = join(import.meta.dirname, 'long-record-in-memory.ts');
  const text = execFileSync(process.execPath, ['--max-old-space-size=90', script], { encoding: 'utf8' });
  assert.equal(text, '8000027 8000020\n');
});

const skip = existsSync('/proc/self/status') ? false : 'the system has no /proc';

test('bodies that stop take the memory of what has arrived, and give it back', { skip }, () => {
  const script = join(import.meta.dirname, 'bodies-in-memory.ts');
  const { most, after } = JSON.parse(execFileSync(process.execPath, [script], { encoding: 'utf8' }));
  // 50 bodies at a time are announced with 500 MiB; 25 MiB of them arrive.
  assert.ok(most < 200, `${most} MiB at most`);
  assert.ok(after < 150, `${after} MiB afterwards`);
});
