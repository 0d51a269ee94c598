/**
 * Record directories with files that the peer cannot index: two of one record, as a 500 of the peer itself leaves them, and
 * those that people have damaged. We serve the other records, and so does the peer after an export.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { exportStore } from '../support/export-store.ts';
import { filesBelow } from './files.ts';
import { findPeer, PRESENT_RELEASE, RELEASE } from './peer.ts';
import { type Service, startAccession, startPeer } from './services.ts';
import { ADMIN_TOKEN, BACKENDS, collection, makePlace, secretOf, token } from './world.ts';

const CURATOR = secretOf('CURATOR');
const WRITER = secretOf('WRITE_COLLECTION');
const NAMES = ['stl', 'dir'] as const;
const CONFIGURATION = {
  type: 'collections',
  version: 2,
  admin_tokens: {},
  collections: Object.fromEntries(
    NAMES.map((name) => [name, collection(name, { backend: { type: BACKENDS[name] } })]),
  ),
  tokens: {
    anyone: token('anyone', 'READ_CURATED', NAMES, 'secret of anyone'),
    writer: token('write_collection', 'WRITE_COLLECTION', NAMES, WRITER),
    curator: token('curator', 'CURATOR', NAMES, CURATOR),
  },
};
const AREAS = [
  ['curated/', 'curated', CURATOR],
  ['', 'incoming/write_collection', WRITER],
] as const;
/** Both are one record. */
const SPELLINGS = ['ex:a', 'https://example.org/ns/a'];
const DAMAGED = { 'no-pid': 'name: nobody\n', 'unknown-prefix': 'pid: nope:a\n', broken: 'pid: [\n' };

for (const release of [RELEASE, PRESENT_RELEASE]) {
  const found = await findPeer(release);
  const skip = 'missing' in found ? found.missing : false;

  test(`an export of a store with files that release ${release} cannot index opens in it`, {
    skip,
  }, async (t) => {
    assert.ok('peer' in found);
    const { peer } = found;
    const { store, config, remove } = await makePlace(CONFIGURATION);
    t.after(remove);
    const started = { adminToken: ADMIN_TOKEN };
    const written = await serving(await startPeer(peer, store, { ...started, config }), fill);
    for (const name of NAMES)
      for (const [, directory] of AREAS)
        for (const [file, content] of Object.entries(DAMAGED))
          writeFileSync(join(store, name, directory, 'Person', `${file}.yaml`), content);
    const served = await serving(await startAccession(store, started), async (service) => {
      assert.match(service.output(), /"records":8,"faults":16,"msg":"imported the store/);
      return read(service);
    });
    assert.deepEqual(served, written);
    const exported = exportStore(store);
    assert.deepEqual(await serving(await startPeer(peer, exported, started), read), written);
    const files = [...(await filesBelow(exported)).keys()].filter((path) => path.endsWith('/no-pid.yaml'));
    assert.equal(files.length, 4, 'what holds no record is exported beside the records');
  });
}

async function serving<T>(service: Service, work: (service: Service) => Promise<T>): Promise<T> {
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

async function fill(service: Service) {
  for (const name of NAMES)
    for (const [area, , secret] of AREAS) {
      const statuses = [];
      for (const pid of [...SPELLINGS, 'ex:b'])
        statuses.push(await store(service, `/${name}/${area}record/Person`, secret, pid));
      assert.deepEqual(statuses, [200, 500, 200], 'the peer leaves a second file of the record');
    }
  return read(service);
}

async function store({ address }: Service, path: string, secret: string, pid: string): Promise<number> {
  const response = await fetch(address + path, {
    method: 'POST',
    headers: { 'x-dumpthings-token': secret, 'content-type': 'application/json' },
    body: JSON.stringify({ pid, name: pid }),
  });
  return response.status;
}

async function read({ address }: Service) {
  const answers = [];
  for (const name of NAMES)
    for (const path of ['curated/records/', 'incoming/write_collection/records/p/', 'record?pid=ex:a']) {
      const headers = { 'x-dumpthings-token': CURATOR };
      const response = await fetch(`${address}/${name}/${path}`, { headers });
      const text = JSON.stringify(await response.json(), (key, value: unknown) =>
        key === 'schema_type' ? undefined : value,
      );
      answers.push([name, path, response.status, text]);
    }
  return answers;
}
