import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratch } from '../../../../test/cli/accession.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { git } from './git.ts';
import { ObjectReader } from './object-reader.ts';

const running = () => process.getActiveResourcesInfo().filter((one) => one === 'ProcessWrap').length;

test('readers of many repositories keep few processes, and each reads again', async (t) => {
  const folder = scratch(t);
  const readers: [reader: ObjectReader, blob: string][] = [];
  for (let at = 0; at < 20; at++) {
    const repository = join(folder, `${at}`);
    await git(repository, ['init', '--bare', '--quiet']);
    const blob = await git(repository, ['hash-object', '-w', '--stdin'], { input: `text ${at}` });
    readers.push([new ObjectReader(repository), blob.trim()]);
  }
  t.after(() => {
    for (const [reader] of readers) reader.close();
  });
  for (let round = 0; round < 2; round++) {
    for (const [at, [reader, blob]] of readers.entries()) assert.equal(await reader.text(blob), `text ${at}`);
    await eventually('few processes', running, (count) => count <= 8);
  }
  // All at once: none is ended while it is read from.
  const all = readers.map(([reader, blob]) => reader.text(blob));
  assert.deepEqual(
    await Promise.all(all),
    readers.map((_, at) => `text ${at}`),
  );
});
