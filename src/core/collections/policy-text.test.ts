import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readPolicyText } from './policies.ts';

test('policy information of more than 8 MiB is refused', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-policies-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'policies.json');
  writeFileSync(file, ' '.repeat(2 ** 23));
  assert.equal((await readPolicyText(file)).length, 2 ** 23);
  writeFileSync(file, ' '.repeat(2 ** 23 + 1));
  await assert.rejects(readPolicyText(file), {
    code: 'policy_info_unreadable',
    message: /larger than 8 MiB/,
  });
});
