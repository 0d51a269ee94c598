import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { SCHEMAS } from '../../../test/support/configuration-schemas.ts';
import { BY } from '../storage/contract/subject.ts';
import { openSqliteDatabase } from '../storage/sqlite/sqlite.ts';
import type { Change } from '../storage/store.ts';
import type { Configuration } from './config.ts';
import { parseConfiguration } from './parse.ts';
import {
  CONFIGURATION_AREA,
  CONFIGURATION_PID,
  configurationChange,
  readPersistent,
  stateChange,
} from './record.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'accession-config-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const forge = {
  type: 'forge',
  url: 'https://forge.example/api/v1',
  organization: 'o',
  team: 't',
  label_type: 'user',
};
const configuration = parseConfiguration(
  {
    type: 'collections',
    version: 2,
    collections: {
      lab: {
        schema: 'https://example.org/lab.yaml',
        default_token: 'anon',
        curated: 'lab',
        auth_sources: [forge],
      },
    },
    tokens: {
      w: {
        user_id: 'w',
        collections: { lab: { mode: 'WRITE_INCOMING', incoming_label: 'w' } },
        representation: 's',
      },
    },
  },
  SCHEMAS,
);

async function write(changes: readonly Change[]): Promise<void> {
  const database = await openSqliteDatabase(join(root, 'accession.db'));
  await (await database.area(CONFIGURATION_AREA)).write(changes, BY);
  await database.close();
}

function store(next: Configuration, maintenance: string[] = []): Promise<void> {
  const persistent = { configuration: next, maintenance: new Set(maintenance), settings: { lab: 3 } };
  return write([configurationChange(next, root), stateChange(persistent)]);
}

async function load() {
  const database = await openSqliteDatabase(join(root, 'accession.db'));
  try {
    return await readPersistent(await database.area(CONFIGURATION_AREA), root, SCHEMAS);
  } finally {
    await database.close();
  }
}

test('a stored configuration is read back unchanged, with maintenance and settings', async () => {
  const mapped = parseConfiguration(
    {
      ...configuration,
      schema_map: { 'https://example.org/s/': 'schemas' },
    },
    SCHEMAS,
  );
  await store(mapped, ['lab']);
  const { configuration: read, maintenance, settings } = await load();
  assert.deepEqual(read, mapped);
  assert.deepEqual([...maintenance], ['lab']);
  assert.deepEqual(settings, { lab: 3 });
});

test('a new store has an empty configuration', async () => {
  const { configuration: read, maintenance } = await load();
  assert.deepEqual([read.collections, read.tokens, read.admin_tokens, maintenance.size], [{}, {}, {}, 0]);
});

test('a stored configuration that no release has written is never taken for an empty one', async () => {
  const change = configurationChange(configuration, root);
  for (const [from, to, message] of [
    ['"user_id"', '"user"', /config_store.*tokens\.w\.user: unknown key/],
    ['"version":2', '"version":3', /config_store.*version: expected 2/],
  ] as const) {
    const json = change.put.json.replace(from, to);
    const key = { pid: CONFIGURATION_PID, iri: CONFIGURATION_PID, className: 'DumpThingsConfig' };
    await write([{ put: { ...key, json } }]);
    await assert.rejects(load(), { code: 'config_invalid', message });
  }
});
