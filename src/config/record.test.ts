import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { BY } from '../storage/contract/subject.ts';
import type { Configuration } from './config.ts';
import { parseConfiguration } from './parse.ts';
import { readPersistent, writePersistent } from './record.ts';
import { openConfigurationStore } from './store.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'accession-config-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const FILE = 'DumpThingsConfig/d9ca28f6354ac2307282814fc36bbe46.yaml';
const forge = {
  type: 'forge',
  url: 'https://forge.example/api/v1',
  organization: 'o',
  team: 't',
  label_type: 'user',
};
const configuration = parseConfiguration({
  type: 'collections',
  version: 2,
  collections: { lab: { schema: 'lab.yaml', default_token: 'anon', curated: 'lab', auth_sources: [forge] } },
  tokens: {
    w: {
      user_id: 'w',
      collections: { lab: { mode: 'WRITE_INCOMING', incoming_label: 'w' } },
      representation: 's',
    },
  },
});

function configPath(): string {
  return join(root, '__dump_things__/config_store', FILE);
}

async function store(next: Configuration, maintenance: string[] = []): Promise<void> {
  const records = await openConfigurationStore(root, undefined);
  await records.write(await writePersistent({ configuration: next, maintenance: new Set(maintenance) }), BY);
  await records.close();
}

async function load() {
  const records = await openConfigurationStore(root, undefined);
  const persistent = await readPersistent(records);
  await records.close();
  return persistent;
}

test('a stored configuration is read back unchanged, including maintenance', async () => {
  await store(configuration, ['lab']);
  const { configuration: read, maintenance } = await load();
  assert.deepEqual(read, configuration);
  assert.deepEqual([...maintenance], ['lab']);
});

test('the file has the names that the peer knows, and no nulls', async () => {
  await store(configuration);
  const yaml = readFileSync(configPath(), 'utf8');
  assert.match(yaml, /type: forgejo\n/);
  assert.match(yaml, /mode: WRITE_SUBMISSIONS\n/);
  assert.doesNotMatch(yaml, /null|WRITE_INCOMING|schema_type/);
  assert.match(yaml, /^admin_tokens: {}\ncollections:\n/);
});

test('a schema map is kept, outside of what the peer reads', async () => {
  const mapped = parseConfiguration({
    ...configuration,
    schema_map: { 'https://example.org/s/': 'schemas' },
  });
  await store(mapped);
  assert.doesNotMatch(readFileSync(configPath(), 'utf8'), /schema_map/);
  assert.deepEqual((await load()).configuration, mapped);
});

test('changes that the peer has made since are used', async () => {
  await store(configuration, ['lab']);
  writeFileSync(configPath(), readFileSync(configPath(), 'utf8').replace('user_id: w', 'user_id: someone'));
  const { configuration: read, maintenance } = await load();
  assert.equal(read.tokens.w?.user_id, 'someone');
  assert.equal(read.tokens.w?.collections.lab?.mode, 'WRITE_SUBMISSIONS');
  assert.deepEqual([...maintenance], ['lab']);
});

test('the empty policy mapping that release 6.6.4 of the peer adds to each collection changes nothing', async () => {
  await store(configuration);
  const theirs = readFileSync(configPath(), 'utf8').replace(/^ {4}schema:/m, '    policy_mapping: []\n$&');
  writeFileSync(configPath(), theirs);
  assert.match(theirs, /^ {4}policy_mapping: \[\]$/m);
  const { configuration: read } = await load();
  assert.deepEqual(read, configuration);
  await store(read);
  assert.doesNotMatch(readFileSync(configPath(), 'utf8'), /policy_/);
});

test('a stored configuration that uses policies is refused', async () => {
  await store(configuration);
  const yaml = readFileSync(configPath(), 'utf8');
  writeFileSync(configPath(), yaml.replace(/^ {4}schema:/m, '    default_policy: internal\n$&'));
  await assert.rejects(load, {
    code: 'config_invalid',
    message: /config_store.*collections\.lab\.default_policy: access policies are not supported/,
  });
});

test('the index through which the peer finds the configuration is there, and right', async () => {
  await store(configuration);
  const index = new DatabaseSync(join(root, '__dump_things__/config_store/.directory_dir_index.db'));
  const row = index
    .prepare('SELECT class_name, path, sort_key FROM index_entry WHERE iri = ?')
    .get('dump_things:config');
  index.close();
  assert.deepEqual(
    { ...row },
    { class_name: 'DumpThingsConfig', path: configPath(), sort_key: 'dump_things:config' },
  );
});

test('a new store has an empty configuration', async () => {
  const { configuration: read, maintenance } = await load();
  assert.deepEqual([read.collections, read.tokens, read.admin_tokens, maintenance.size], [{}, {}, {}, 0]);
});

test('a stored configuration that is damaged is never taken for an empty one', async () => {
  await store(configuration);
  const yaml = readFileSync(configPath(), 'utf8');
  for (const [damage, message] of [
    [yaml.slice(0, yaml.length / 2).concat('\n: ['), /config_store.*DumpThingsConfig/],
    ['', /config_store.*DumpThingsConfig/],
    [yaml.replace('user_id: w', 'user: w'), /config_store.*tokens\.w\.user: unknown key/],
    [yaml.replace('version: 2', 'version: 3'), /config_store.*version: expected 2/],
  ] as const) {
    writeFileSync(configPath(), damage);
    const records = await openConfigurationStore(root, undefined);
    await assert.rejects(readPersistent(records), { code: 'config_invalid', message });
    await records.close();
  }
});

test('other work has its turn while a configuration of thousands of tokens is written', async () => {
  const { w } = configuration.tokens;
  const tokens = Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`t${n}`, w!]));
  let turns = 0;
  let next = setImmediate(function count() {
    turns += 1;
    next = setImmediate(count);
  });
  const [{ put }] = (await writePersistent({
    configuration: { ...configuration, tokens },
    maintenance: new Set(),
  })) as [{ put: { json: string } }, unknown];
  clearImmediate(next);
  assert.ok(turns > 2, `${turns} turns`);
  assert.equal(Object.keys(JSON.parse(put.json).tokens).length, 30_000);
});
