/** What the check of a store finds, and what it leaves in peace. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { type BackendConfig, openStore } from './backends.ts';
import { all, BY, expand, put, schemaTypeOf } from './contract/subject.ts';
import { SILENT_LOG } from './log.ts';
import { checkStore, rebuildIndex } from './maintenance.ts';
import { filePath } from './record-dir/file-names.ts';

const SQLITE: BackendConfig = { type: 'sqlite' };
const RECORD_DIR: BackendConfig = { type: 'record_dir', mapping_method: 'digest-md5' };

function store(
  sentence: string,
  config: BackendConfig,
  run: (directory: string) => void | Promise<void>,
): void {
  test(sentence, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'accession-check-'));
    try {
      const opened = await openStore(config, directory, { expand, schemaTypeOf });
      await opened.write(
        Array.from({ length: 30 }, (_, i) => put(`ex:${i}`, i % 2 ? 'Person' : 'Robot')),
        BY,
      );
      await opened.write([{ delete: 'https://example.org/3' }, put('ex:4', 'Person')], BY);
      await opened.close();
      await run(directory);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
}

const messages = (directory: string) => checkStore(directory).map(({ message }) => message);

/** Changes the database behind everybody's back. */
function tamper(directory: string, sql: string): void {
  const database = new DatabaseSync(join(directory, '__sqlite-records.db'));
  database.exec(sql);
  database.close();
}

for (const config of [SQLITE, RECORD_DIR]) {
  store(`a sound store has no faults: ${config.type}`, config, (directory) => {
    assert.deepEqual(checkStore(directory), []);
  });
}

store('a record that is not JSON is found', SQLITE, (directory) => {
  tamper(directory, `UPDATE thing SET object = 'nonsense' WHERE sort_key = 'ex:5'`);
  assert.match(messages(directory).join(), /example.org\/5' is not JSON/);
});

store('a wrong count is found', SQLITE, (directory) => {
  tamper(directory, `UPDATE accession_block_count SET records = 99 WHERE class_name = 'Robot'`);
  assert.match(messages(directory).join(), /count of 'Robot'/);
});

store('a record without a revision is found', SQLITE, (directory) => {
  tamper(directory, 'DELETE FROM accession_entry WHERE revision = 6');
  assert.match(messages(directory).join(), /has no revision/);
});

store('a file that is not a database is found', SQLITE, (directory) => {
  writeFileSync(join(directory, '__sqlite-records.db'), 'nonsense '.repeat(500));
  assert.match(messages(directory).join(), /can't be read/);
});

store('record files that were left out are told', RECORD_DIR, async (directory) => {
  mkdirSync(join(directory, 'Comet'));
  writeFileSync(join(directory, 'Comet/halley.yaml'), 'a: [');
  const again = await openStore(RECORD_DIR, directory, { expand, schemaTypeOf });
  await again.close();
  assert.equal(checkStore(directory)[0]?.path, 'Comet/halley.yaml');
});

store('a rebuilt index mends what was wrong and keeps the revisions', SQLITE, async (directory) => {
  tamper(
    directory,
    `UPDATE accession_block_count SET records = 99 WHERE class_name = 'Robot';
     DELETE FROM accession_entry WHERE revision = 6`,
  );
  rebuildIndex(directory, SILENT_LOG);
  assert.deepEqual(checkStore(directory), []);
  const again = await openStore(SQLITE, directory, { expand, schemaTypeOf });
  assert.equal((await again.get('https://example.org/10'))?.revision, 11);
  assert.equal(await again.revision(), 33);
  assert.equal(await again.count({ classes: ['Robot'] }), 14);
  await again.close();
});

store(
  'a rebuilt index of files keeps records, revisions and what a crash left undone',
  RECORD_DIR,
  async (directory) => {
    const lost = join(directory, filePath('digest-md5', 'Person', 'ex:1'));
    rmSync(lost);
    const index = new DatabaseSync(join(directory, '.accession/area.db'));
    index
      .prepare('INSERT INTO accession_pending (path, since) VALUES (?, ?)')
      .run(relative(directory, lost), Date.now());
    index.close();
    rebuildIndex(directory, SILENT_LOG);
    const again = await openStore(RECORD_DIR, directory, { expand, schemaTypeOf });
    assert.equal((await all(again)).length, 29);
    assert.equal(await again.revision(), 32);
    assert.ok(existsSync(lost));
    await again.close();
  },
);
