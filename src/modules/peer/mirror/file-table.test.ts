import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BY, put } from '../../../core/storage/contract/subject.ts';
import { openSqliteDatabase } from '../../../core/storage/sqlite/sqlite.ts';
import { TABLES } from '../tables.ts';
import { FileTable } from './file-table.ts';

test('a store does not wait until the rows of a thousand files are saved', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'accession-files-'));
  const database = await openSqliteDatabase(join(root, 'accession.db'), { tables: TABLES });
  t.after(async () => {
    await database.close();
    rmSync(root, { recursive: true });
  });
  const store = await database.area('area');
  const files = new FileTable(database, async () => store.area);
  for (let n = 0; n < 1000; n++)
    files.set({
      path: `${n}`,
      iri: `ex:${n}`,
      revision: 1,
      stamp: { size: 0, modified: 0, inode: n },
      digest: '',
      fault: null,
    });
  const countSaved = async () =>
    (await database.tuples<[number]>('SELECT count(*) FROM accession_file'))[0]![0];
  const saving = files.save(files.take(), 1);
  await store.write([put('ex:a')], BY);
  assert.ok((await countSaved()) < 1000);
  await saving;
  assert.deepEqual([await countSaved(), await files.cursor()], [1000, 1]);
});
