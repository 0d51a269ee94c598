/** Requests about what release 6.3.3 has, to that release and to Accession. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { compare } from './compared.ts';
import { DIFFERENCES, differencesFrom } from './differences.ts';
import { RELEASE } from './peer.ts';
import { allSteps } from './requests.ts';
import { laboratory } from './world.ts';

const DOCUMENT = path.resolve(import.meta.dirname, '../../docs/compatibility.md');

await compare({
  release: RELEASE,
  configuration: laboratory(),
  steps: allSteps(),
  differences: differencesFrom(RELEASE),
});

test('the document lists the differences that the tests know, and no others', async () => {
  const document = await readFile(DOCUMENT, 'utf8');
  const rows = [...document.matchAll(/^\| `([a-z0-9-]+)` +\| (both|[\d.]+) +\|/gm)];
  const listed = rows.map(([, name, release]) => `${name} ${release}`);
  const known = DIFFERENCES.map(({ name, only = 'both' }) => `${name} ${only}`);
  assert.deepEqual(listed.sort(), known.sort());
});
