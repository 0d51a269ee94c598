/** Where a schema is looked for that a configuration names by a relative path. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { Schemas } from '../../src/core/collections/schemas.ts';
import { parseConfiguration } from '../../src/core/config/parse.ts';
import { asReadAgain, openedAddress, storedAddress } from '../../src/core/config/record.ts';
import { SILENT_LOG } from '../../src/core/storage/log.ts';
import { SCHEMAS } from '../support/configuration-schemas.ts';

test('a relative path of a schema in the store is stored relative to it, another one absolute, so any working directory will do', (t) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'accession-record-')));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'own'));
  writeFileSync(join(root, 'own/schema.yaml'), '');
  const given = relative(process.cwd(), join(root, 'own/schema.yaml'));
  assert.equal(storedAddress(root, given), 'own/schema.yaml');
  assert.equal(openedAddress(root, 'own/schema.yaml'), join(root, 'own/schema.yaml'));
  assert.equal(storedAddress(root, 'package.json'), join(process.cwd(), 'package.json'));
  assert.equal(storedAddress(root, 'lost/schema.yaml'), 'lost/schema.yaml');
});

test('the message of a relative schema that is found nowhere names where it was looked for', async () => {
  const root = realpathSync(tmpdir());
  const open = new Schemas(root, SILENT_LOG).reading();
  const message =
    'The schema lost/schema.yaml does not exist in the store directory, nor in the working directory of the service.';
  for (const address of [openedAddress(root, 'lost/schema.yaml'), 'lost/schema.yaml'])
    await assert.rejects(open(address), (error: Error) => error.message.startsWith(message), address);
});

test('a configuration with relative schemas is compared as it is read again', () => {
  const configured = (schema: string) =>
    parseConfiguration(
      {
        type: 'collections',
        version: 2,
        collections: {
          c: {
            schema,
            default_token: 'none',
            curated: 'c/curated',
            incoming: 'c/incoming',
            backend: { type: 'sqlite+stl' },
          },
        },
        tokens: {
          none: { user_id: 'none', collections: { c: { mode: 'NOTHING', incoming_label: '' } } },
        },
      },
      SCHEMAS,
    );
  const root = realpathSync(tmpdir());
  const kept = configured(join(process.cwd(), 'package.json'));
  assert.deepEqual(asReadAgain(configured('package.json'), root), asReadAgain(kept, root));
});
