/** What the check of a store finds, and what it leaves in peace. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { type BackendConfig, openStore } from './backends.ts';
import { expand, put, schemaTypeOf } from './contract/subject.ts';
import { checkStore } from './maintenance.ts';

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
      await opened.write(Array.from({ length: 30 }, (_, i) => put(`ex:${i}`, i % 2 ? 'Person' : 'Robot')));
      await opened.write([{ delete: 'https://example.org/3' }, put('ex:4', 'Person')]);
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

store('a record that is no JSON is found', SQLITE, (directory) => {
  tamper(directory, `UPDATE thing SET object = 'nonsense' WHERE sort_key = 'ex:5'`);
  assert.match(messages(directory).join(), /example.org\/5' is no JSON/);
});

store('a wrong count is found', SQLITE, (directory) => {
  tamper(directory, `UPDATE accession_block_count SET records = 99 WHERE class_name = 'Robot'`);
  assert.match(messages(directory).join(), /count of 'Robot'/);
});

store('a record without a revision is found', SQLITE, (directory) => {
  tamper(directory, 'DELETE FROM accession_change WHERE revision = 6');
  assert.match(messages(directory).join(), /has no revision/);
});

store('a file that is no database is found', SQLITE, (directory) => {
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
