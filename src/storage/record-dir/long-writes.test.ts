/** Long writes one after the other: each is staged in a thread, and its files are moved into place later. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { type OpenOptions, openStore } from '../backends.ts';
import { BY } from '../contract/subject.ts';
import type { Change } from '../store.ts';

const RECORDS = 501;

const options: OpenOptions = {
  expand: (pid) => pid.replace(/^ex:/, 'https://example.org/'),
  schemaTypeOf: (className) => `ex:${className}`,
};

function changesOf(className: string): Change[] {
  return Array.from({ length: RECORDS }, (_, n) => {
    const pid = `ex:${className}-${n}`;
    const json = `{"pid":"${pid}","schema_type":"ex:${className}"}`;
    return { put: { pid, iri: `https://example.org/${className}-${n}`, className, json } };
  });
}

test('no name of a staged file is used twice, so that a crash mixes up no files', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'accession-long-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const config = { type: 'record_dir', mapping_method: 'digest-md5-p3' } as const;
  const store = await openStore(config, directory, options);
  t.after(() => store.close());
  const area = new DatabaseSync(join(directory, '.accession/area.db'), { readOnly: true });
  t.after(() => area.close());
  // Files stay on the list for a while after they were moved into place.
  const listed = new Map<string, string>();
  for (const className of ['Person', 'Robot']) {
    await store.write(changesOf(className), BY);
    const rows = area.prepare('SELECT path, temporary FROM accession_pending').all();
    for (const { path, temporary } of rows as { path: string; temporary: string }[]) {
      assert.equal(listed.get(temporary) ?? path, path, `${temporary} was used for two files`);
      listed.set(temporary, path);
    }
  }
  assert.equal(listed.size, 2 * RECORDS);
});
