/**
 * Collections that were deleted before an export: the peer opens it, and finds their records when they are created again, as
 * it finds those of collections that it has deleted itself.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '#linkml/json.ts';
import { eventually } from '../support/eventually.ts';
import { exportStore } from '../support/export-store.ts';
import { findPeer, PRESENT_RELEASE } from './peer.ts';
import { seeds } from './records.ts';
import { type Service, startAccession, startPeer } from './services.ts';
import { ADMIN_TOKEN, BACKENDS, collection, MAPPINGS, makePlace, secretOf, token } from './world.ts';

const found = await findPeer(PRESENT_RELEASE);
const skip = 'missing' in found ? found.missing : false;

const CURATOR = secretOf('CURATOR');
const WRITER = secretOf('WRITE_COLLECTION');

/** A collection for every backend, and for those in directories one for every mapping method. */
const COLLECTIONS: Readonly<Record<string, object>> = Object.fromEntries(
  Object.values(BACKENDS).flatMap((type, at) => {
    const backends = type.startsWith('sqlite')
      ? [{ type }]
      : MAPPINGS.map((mapping_method) => ({ type, mapping_method: mapping_method as string }));
    return backends.map((backend, number) => {
      const name = `deleted-${at}-${number}`;
      return [name, collection(name, { backend })];
    });
  }),
);
const DELETED = Object.keys(COLLECTIONS);
const NAMES = ['kept', ...DELETED];
const CONFIGURATION = {
  type: 'collections',
  version: 2,
  admin_tokens: {},
  collections: { kept: collection('kept', {}), ...COLLECTIONS },
  tokens: {
    anyone: token('anyone', 'READ_CURATED', NAMES, 'secret of anyone'),
    writer: token('write_collection', 'WRITE_COLLECTION', NAMES, WRITER),
    curator: token('curator', 'CURATOR', NAMES, CURATOR),
  },
};
const AREAS = ['curated', 'incoming/write_collection', 'incoming/in box'];

test('the peer finds the records of collections that were deleted before an export, for every backend', {
  skip,
}, async (t) => {
  assert.ok('peer' in found);
  const { peer } = found;
  const { store, config, remove } = await makePlace(CONFIGURATION);
  t.after(remove);
  const options = { adminToken: ADMIN_TOKEN };
  const written = await serving(await startAccession(store, { ...options, config }), async (service) => {
    await fill(service);
    const all = await readAll(service);
    for (const name of DELETED) await ask(service, 200, 'DELETE', `/collections/${name}`, ADMIN_TOKEN);
    return all;
  });
  for (const area of AREAS) assert.ok(written[`${DELETED[0]}/${area}`]!.length > 0, area);
  const exported = exportStore(store);
  const again = await serving(await startPeer(peer, exported, options), async (service) => {
    const listed = (await ask(service, 200, 'GET', '/collections', ADMIN_TOKEN)) as JsonObject[];
    assert.deepEqual(
      listed.map(({ name }) => name),
      ['kept'],
    );
    await recreate(service);
    const all = await readAll(service);
    for (const name of DELETED) await ask(service, 200, 'DELETE', `/collections/${name}`, ADMIN_TOKEN);
    return all;
  });
  assert.deepEqual(again, written);
  // And back: what the peer leaves of deleted collections is what Accession finds.
  await serving(await startAccession(exported, options), async (service) => {
    await recreate(service);
    // Files of a new collection are read in the background.
    await eventually(
      'files are read',
      () => readAll(service),
      (all) => isDeepStrictEqual(all, written),
    );
  });
});

async function serving<T>(service: Service, work: (service: Service) => Promise<T>): Promise<T> {
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

async function fill(service: Service) {
  for (const name of NAMES)
    for (const [at, { className, body }] of seeds().slice(0, 24).entries()) {
      const [area, secret] = [
        ['curated/', CURATOR],
        ['', WRITER],
        ['incoming/in box/', CURATOR],
      ][at % 3] as [string, string];
      await ask(service, 200, 'POST', `/${name}/${area}record/${className}`, secret, body);
    }
}

async function recreate(service: Service) {
  for (const [name, config] of Object.entries(COLLECTIONS))
    await ask(service, 201, 'POST', '/collections', ADMIN_TOKEN, { name, ...config } as JsonObject);
}

/** The records of all areas. Curation reads of the peer have `schema_type` only if it is on disk. */
async function readAll(service: Service): Promise<Record<string, JsonValue[]>> {
  const all: Record<string, JsonValue[]> = {};
  for (const name of NAMES)
    for (const area of AREAS) {
      const records = (await ask(service, 200, 'GET', `/${name}/${area}/records/`, CURATOR)) as JsonObject[];
      all[`${name}/${area}`] = records.map(({ schema_type: _type, ...record }) => record);
    }
  return all;
}

async function ask(
  { address }: Service,
  wanted: number,
  method: string,
  path: string,
  secret: string,
  body?: JsonValue,
): Promise<JsonValue> {
  const response = await fetch(address + path, {
    method,
    headers: {
      'x-dumpthings-token': secret,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.equal(response.status, wanted, `${method} ${path}: ${text}`);
  return JSON.parse(text) as JsonValue;
}
