/** Directories that were made for something else are refused before anything in them is touched. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type BackendConfig, openStore } from './backends.ts';
import { BY, expand, put, refuses, schemaTypeOf } from './contract/subject.ts';

const MD5: BackendConfig = { type: 'record_dir', mapping_method: 'digest-md5' };
const SHA1: BackendConfig = { type: 'record_dir+stl', mapping_method: 'digest-sha1' };
const SQLITE: BackendConfig = { type: 'sqlite' };
const schema = 'https://example.org/schema';

function inDirectory(sentence: string, run: (directory: string) => Promise<void>): void {
  test(sentence, async () => {
    const directory = mkdtempSync(join(tmpdir(), 'accession-compatible-'));
    try {
      await run(directory);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
}

const open = (config: BackendConfig, directory: string, address = schema) =>
  openStore(config, directory, { schema: address, expand, schemaTypeOf });

const ROWS: [made: BackendConfig, asked: BackendConfig, address: string][] = [
  [MD5, SHA1, schema],
  [MD5, MD5, 'https://example.org/another-schema'],
  [MD5, SQLITE, schema],
  [SQLITE, MD5, schema],
];

for (const [made, asked, address] of ROWS) {
  const name = (config: BackendConfig) => Object.values(config).join(' ');
  inDirectory(
    `made with ${name(made)}, asked for ${name(asked)} with ${address}: refused`,
    async (directory) => {
      const store = await open(made, directory);
      await store.write([put('ex:a')], BY);
      await store.close();
      const before = readdirSync(directory, { recursive: true }).sort();
      await refuses(open(asked, directory, address), 'store_incompatible');
      assert.deepEqual(readdirSync(directory, { recursive: true }).sort(), before);
    },
  );
}

inDirectory('the same with and without the schema-type layer is the same store', async (directory) => {
  await (await open(MD5, directory)).close();
  await (await open({ ...MD5, type: 'record_dir+stl' } as BackendConfig, directory)).close();
});

inDirectory('an empty directory, and one that only people have filled, is taken', async (directory) => {
  mkdirSync(join(directory, 'Person'));
  writeFileSync(join(directory, 'Person/a.yaml'), 'pid: ex:a\n');
  const store = await open(MD5, directory);
  assert.equal(await store.count({}), 1);
  await store.close();
  assert.equal(
    readFileSync(join(directory, '.dumpthings.yaml'), 'utf8'),
    '# RecordDir Config\ntype: records\nversion: 1\nschema: https://example.org/schema\nformat: yaml\nidfx: digest-md5\n',
  );
});

inDirectory('a directory configuration that is none, or of another type, is refused', async (directory) => {
  for (const text of ['type: [', 'type: collections\n', '']) {
    writeFileSync(join(directory, '.dumpthings.yaml'), text);
    await refuses(open(MD5, directory), 'store_incompatible');
  }
});
