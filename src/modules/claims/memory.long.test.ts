import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

test('a record with a million values is compared with some times the memory of its text, over 20,000 as one value', () => {
  const script = join(import.meta.dirname, 'in-memory.support.ts');
  const text = execFileSync(process.execPath, ['--max-old-space-size=200', script], { encoding: 'utf8' });
  // The pid and the class of a new record are differences, too.
  assert.equal(text, '3 20002 3 3\n');
});
