/** Policies beside release 6.6.4 of the peer: what it answers where it filters, and how it reads configurations. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { exportStore } from '../support/export-store.ts';
import { findPeer, PRESENT_RELEASE } from './peer.ts';
import { type Service, startAccession, startPeer } from './services.ts';
import { ADMIN_TOKEN, makePlace, SCHEMA } from './world.ts';

const found = await findPeer(PRESENT_RELEASE);
const options = 'missing' in found ? { skip: found.missing } : {};

const TAG = 'ex:policy';
const MODES = { ann: 'WRITE_COLLECTION', bob: 'WRITE_COLLECTION', guest: 'READ_CURATED', cleo: 'CURATOR' };
const mapping = (user_id: string, ...authorized_by: string[]) => ({
  auth_source: 'config',
  user_id,
  authorized_by,
});
const MAPPING = [mapping('ann', 'x', 'd'), mapping('bob', 'y'), mapping('ann', 'z'), mapping('guest', 'd')];

/** Collections by the policies that the peer enforces. */
const COLLECTIONS: Record<string, object> = {
  open: {},
  tagged: { policy_annotation_tag: TAG, policy_mapping: MAPPING },
  default: { policy_annotation_tag: TAG, default_policy: 'd', policy_mapping: MAPPING },
};

function configuration(): object {
  const collections = Object.fromEntries(
    Object.entries(COLLECTIONS).map(([name, policies]) => [name, config(name, policies)]),
  );
  const tokens = Object.fromEntries(
    Object.entries(MODES).map(([name, mode]) => [
      name,
      {
        user_id: name,
        representation: name,
        collections: Object.fromEntries(
          Object.keys(COLLECTIONS).map((one) => [one, { mode, incoming_label: name }]),
        ),
      },
    ]),
  );
  return { type: 'collections', version: 2, collections, tokens };
}

function config(name: string, policies: object): object {
  return {
    schema: SCHEMA,
    default_token: 'guest',
    curated: `${name}/curated`,
    incoming: `${name}/incoming`,
    backend: { type: 'sqlite' },
    ...policies,
  };
}

type Exchange = readonly [method: string, url: string, token?: string, json?: unknown];

const person = (name: string, policy?: string) => ({
  pid: `ex:${name}`,
  name,
  ...(policy !== undefined && { annotations: { [TAG]: policy } }),
});

const POLICIES = [undefined, 'x', 'y', 'z', 'd', 'X'];

function* exchanges(): Generator<Exchange> {
  for (const name of Object.keys(COLLECTIONS)) {
    for (const [at, policy] of POLICIES.entries())
      yield ['POST', `/${name}/curated/record/Person`, 'cleo', person(`c${at}`, policy)];
    for (const [at, policy] of POLICIES.entries()) {
      yield ['POST', `/${name}/record/Person`, 'ann', person(`own${at}`, policy)];
      yield ['POST', `/${name}/record/Person`, 'ann', { ...person(`c${at}`, POLICIES[at + 2]), name: 'own' }];
    }
    for (const token of [...Object.keys(MODES), undefined]) {
      yield ['GET', `/${name}/records/`, token];
      yield ['GET', `/${name}/records/Person`, token];
      for (const page of [1, 2, 3]) yield ['GET', `/${name}/records/p/?page=${page}&size=3`, token];
      yield ['GET', `/${name}/records/p/Person?matching=%25own%25`, token];
      for (const at of POLICIES.keys()) {
        yield ['GET', `/${name}/record?pid=ex:c${at}`, token];
        yield ['GET', `/${name}/record?pid=ex:own${at}`, token];
      }
    }
    yield ['GET', `/${name}/curated/records/`, 'cleo'];
    yield ['GET', `/${name}/incoming/ann/records/`, 'cleo'];
    for (const token of ['nonsense', 'ann', 'cleo', undefined])
      yield ['GET', `/management/reload/policy_info/${name}`, token];
  }
  yield ['GET', '/management/reload/policy_info/missing', 'nonsense'];
}

/** Changes of the configuration. */
function* administration(location: string): Generator<Exchange> {
  const policies: object[] = [
    { policy_mapping: [] },
    { policy_annotation_tag: null, default_policy: null, policy_info_location: null },
    { policy_annotation_tag: 7 },
    { default_policy: ['a'] },
    { policy_mapping: {} },
    { policy_mapping: [{ auth_source: 'config', user_id: 'a' }] },
    { policy_mapping: [{ auth_source: 'config', user_id: 'a', authorized_by: 'x' }] },
    { policy_mapping: [{ auth_source: 'config', user_id: 'a', authorized_by: [1] }] },
    { policy_mapping: [{ ...mapping('a', 'x'), more: 1 }] },
    { policy_mapping: [mapping('a'), { auth_source: 'nowhere', user_id: '', authorized_by: [''] }] },
    { policy_info_location: location },
    { policy_info_location: 1 },
    { policy_other: 1 },
  ];
  for (const [at, one] of policies.entries())
    yield ['POST', '/collections', ADMIN_TOKEN, { name: `n${at}`, ...config(`n${at}`, one) }];
}

async function answer(service: Service, [method, url, token, json]: Exchange): Promise<[number, unknown]> {
  const response = await fetch(service.address + url, {
    method,
    headers: {
      ...(token !== undefined && { 'x-dumpthings-token': token }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
    },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  const text = await response.text();
  const isError = response.status >= 400;
  return [response.status, isError || text === '' ? null : comparable(JSON.parse(text))];
}

/** The peer leaves the type out of what curators read, and repeats records behind the last page. */
function comparable(value: unknown): unknown {
  const { page = 0, pages = 0 } = (value ?? {}) as { page?: number; pages?: number };
  if (page > pages) return { ...(value as object), items: [] };
  return JSON.parse(JSON.stringify(value, (key, member) => (key === 'schema_type' ? undefined : member)));
}

type Opened = { readonly store: string; readonly service: Service };

test(`policies are those of ${PRESENT_RELEASE}, also in stores that change hands`, options, async (t) => {
  if (!('peer' in found)) return;
  const folder = mkdtempSync(path.join(tmpdir(), 'policies-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const location = path.join(folder, 'information.json');
  writeFileSync(location, JSON.stringify({ policy_annotation_tag: TAG }));
  const ended = new Set<Service>();
  const end = async (service: Service) => {
    if (!ended.has(service)) await service.stop();
    ended.add(service);
  };
  const start = async (
    begin: (place: { store: string; config: string }) => Promise<Service>,
  ): Promise<Opened> => {
    const place = await makePlace(configuration());
    const service = await begin(place);
    t.after(async () => {
      await end(service);
      await place.remove();
    });
    return { store: place.store, service };
  };
  const [peer, accession] = await Promise.all([
    start(({ store, config }) => startPeer(found.peer, store, { config, adminToken: ADMIN_TOKEN })),
    start(({ store, config }) => startAccession(store, { config, adminToken: ADMIN_TOKEN })),
  ]);
  const compare = async (all: Iterable<Exchange>, one: Service, other: Service) => {
    const different: unknown[] = [];
    for (const exchange of all) {
      const [wanted, is] = await Promise.all([answer(one, exchange), answer(other, exchange)]);
      try {
        assert.deepEqual(is, wanted);
      } catch {
        different.push({ exchange, wanted, is });
      }
    }
    assert.deepEqual(different, []);
  };
  await compare(exchanges(), peer.service, accession.service);
  const reads = [...exchanges()].filter(([method]) => method === 'GET');
  await end(peer.service);
  const taken = await startAccession(peer.store);
  t.after(() => end(taken));
  await compare(reads, accession.service, taken);
  await end(taken);
  const again = await startPeer(found.peer, exportStore(peer.store), { adminToken: ADMIN_TOKEN });
  t.after(() => end(again));
  await compare([...reads, ...administration(location)], again, accession.service);
});
