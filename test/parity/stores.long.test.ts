/**
 * Stores that change hands: what the peer has written we take in and serve with the same answers, and what we have written
 * the peer serves when it is exported, for every backend and mapping method.
 */
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, test } from 'node:test';
import { canonicalJson, type JsonObject, type JsonValue } from '#linkml/json.ts';
import { withoutUnsetPolicies } from '../../src/core/config/policies.ts';
import { exportStore } from '../support/export-store.ts';
import { sqliteAt } from '../support/sqlite.ts';
import { filesBelow } from './files.ts';
import { findPeer, PRESENT_RELEASE, RELEASE } from './peer.ts';
import { type Sample, seeds, VALID } from './records.ts';
import { type Service, type StartOptions, startAccession, startPeer } from './services.ts';
import {
  ADMIN_TOKEN,
  BACKENDS,
  collection,
  MAPPINGS,
  makePlace,
  type Place,
  secretOf,
  token,
} from './world.ts';

const found = await findPeer();
const foundPresent = await findPeer(PRESENT_RELEASE);
const missing = (lookup: typeof found) => ('missing' in lookup ? lookup.missing : false);

const CURATOR = secretOf('CURATOR');
const WRITER = secretOf('WRITE_COLLECTION');
const places: Place[] = [];

after(() => Promise.all(places.map((place) => place.remove())));

/** A collection for every backend, and for those in directories one for every mapping method. */
const COLLECTIONS = Object.entries(BACKENDS).flatMap(([name, type]) =>
  type.startsWith('sqlite')
    ? [{ name, backend: { type } }]
    : MAPPINGS.map((mapping_method) => ({
        name: `${name}-${mapping_method}`,
        backend: { type, mapping_method },
      })),
);

const NAMES = COLLECTIONS.map(({ name }) => name);

const CONFIGURATION = {
  type: 'collections',
  version: 2,
  collections: Object.fromEntries(
    COLLECTIONS.map(({ name, backend }) => [name, collection(name, { backend })]),
  ),
  tokens: {
    anyone: token('anyone', 'READ_CURATED', NAMES, 'secret of anyone'),
    writer: token('write_collection', 'WRITE_COLLECTION', NAMES, WRITER),
    curator: token('curator', 'CURATOR', NAMES, CURATOR),
  },
  admin_tokens: {},
};

/** All records for the collections with the default mapping, and enough of them for the others. */
function recordsFor(name: string): Sample[] {
  const valid = VALID.map(({ body, ...rest }, i) => ({
    ...rest,
    body: { ...(body as object), pid: `ex:v-${i}` },
  }));
  return /-(?!md5$)[a-z0-9]+$/.test(name) ? seeds().slice(0, 16) : [...seeds(), ...valid];
}

type Start = (store: string, options: StartOptions) => Promise<Service>;
const ours: Start = startAccession;
const startOf =
  (lookup: typeof found): Start =>
  (store, options) => {
    assert.ok('peer' in lookup);
    return startPeer(lookup.peer, store, options);
  };
const OPTIONS = { adminToken: ADMIN_TOKEN };

for (const [release, lookup] of [
  [RELEASE, found],
  [PRESENT_RELEASE, foundPresent],
] as const) {
  const theirs = startOf(lookup);

  test(`what release ${release} of the peer has written is served by us and, exported, by the peer again`, {
    skip: missing(lookup),
  }, async () => {
    const place = await makePlace(CONFIGURATION);
    places.push(place);
    const started = { ...OPTIONS, config: place.config };
    const written = await serving(theirs, place.store, started, async (address) => {
      await fill(address);
      return readAll(address);
    });
    const before = await onDisk(place.store);
    // From here on, the configuration and its tokens come from the store.
    assert.deepEqual(await serving(ours, place.store, OPTIONS, readAll), written);
    assert.deepEqual(await onDisk(place.store), before, 'the files that were read are left as they are');
    const changed = await serving(ours, place.store, OPTIONS, async (address) => {
      await change(address);
      return readAll(address);
    });
    assert.deepEqual(await serving(theirs, exportStore(place.store), OPTIONS, readAll), changed);
  });

  test(`what we have written is served by release ${release} of the peer and, taken in, by us again`, {
    skip: missing(lookup),
  }, async () => {
    const place = await makePlace(CONFIGURATION);
    places.push(place);
    const started = { ...OPTIONS, config: place.config };
    const written = await serving(ours, place.store, started, async (address) => {
      await fill(address);
      return readAll(address);
    });
    const store = exportStore(place.store);
    assert.deepEqual(await serving(theirs, store, OPTIONS, readAll), written);
    const changed = await serving(theirs, store, OPTIONS, async (address) => {
      await change(address);
      return readAll(address);
    });
    assert.deepEqual(await serving(ours, store, OPTIONS, readAll), changed);
  });
}

test('both write the same files, and an export has the same tables, for the same requests', {
  skip: missing(found),
}, async () => {
  const [peer, accession] = await Promise.all(
    [startOf(found), ours].map(async (start) => {
      const place = await makePlace(CONFIGURATION);
      places.push(place);
      await serving(start, place.store, { config: place.config }, fill);
      const files = await onDisk(place.store);
      return start === ours ? new Map([...files, ...(await onDisk(exportStore(place.store)))]) : files;
    }),
  );
  assert.deepEqual([...accession!.keys()].sort(), [...peer!.keys()].sort());
  for (const [file, content] of peer!) assert.equal(accession!.get(file), content, file);
});

/** The peer's curators bypass the type layer when they write, ours don't: with `+stl` the type is never on disk. */
const TYPE_LINE = /^schema_type: .*\n/m;

/** The records as they lie on disk: YAML files as text, databases as the definition and the rows of their table. */
async function onDisk(store: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const [file, content] of await filesBelow(store)) {
    if (file.startsWith('__dump_things__')) continue;
    if (file.endsWith('.yaml'))
      found.set(file, /^stl-/.test(file) ? content.replace(TYPE_LINE, '') : content);
    if (file.endsWith('__sqlite-records.db'))
      found.set(file, tableOf(path.join(store, file), file.startsWith('sqlstl')));
  }
  return found;
}

function withoutType(object: string): JsonValue {
  const { schema_type: _type, ...rest } = JSON.parse(object) as JsonObject;
  return rest;
}

function tableOf(file: string, layered: boolean): string {
  const database = sqliteAt(file, { readOnly: true });
  const columns = database.prepare('SELECT name, type, "notnull", pk FROM pragma_table_info(?)').all('thing');
  const rows = database.prepare('SELECT iri, class_name, object, sort_key FROM thing ORDER BY iri').all();
  database.close();
  const canonical = rows.map((row) => ({
    ...row,
    object: canonicalJson(
      layered ? withoutType(row.object as string) : (JSON.parse(row.object as string) as JsonValue),
    ),
  }));
  return [...columns, ...canonical].map((row) => JSON.stringify(row)).join('\n');
}

async function serving<T>(
  start: Start,
  store: string,
  options: StartOptions,
  action: (address: string) => Promise<T>,
): Promise<T> {
  const service = await start(store, options);
  try {
    return await action(service.address);
  } finally {
    await service.stop();
  }
}

/** Stores every record: most by a curator in the curated area, the others by a writer in its zone. */
async function fill(address: string): Promise<void> {
  for (const name of NAMES) {
    for (const [i, { className, body, point }] of recordsFor(name).entries()) {
      const [area, secret] = i % 3 === 0 ? ['', WRITER] : ['curated/', CURATOR];
      const place = `/${name}/${area}record/${className}`;
      assert.equal((await request(address, 'POST', place, secret, body)).status, 200, `${place}: ${point}`);
    }
  }
}

/** Replaces, adds and deletes, in both areas. */
async function change(address: string): Promise<void> {
  for (const name of NAMES) {
    const steps: [string, string, string, JsonValue?][] = [
      ['POST', 'curated/record/Person', CURATOR, { pid: 'ex:person-1', name: 'replaced' }],
      ['POST', 'record/Person', WRITER, { pid: 'ex:added', name: 'added' }],
      ['DELETE', 'curated/record?pid=ex:person-2', CURATOR],
      ['DELETE', 'record?pid=ex:person-3', WRITER],
    ];
    for (const [method, path, secret, body] of steps) {
      assert.equal(
        (await request(address, method, `/${name}/${path}`, secret, body)).status,
        200,
        `${method} ${name}/${path}`,
      );
    }
  }
}

/** What a reader sees in all collections: the order, the totals and every record, in the own view and in each area. */
async function readAll(address: string): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const name of NAMES) {
    for (const [area, secret] of [
      ['', WRITER],
      ['incoming/write_collection/', CURATOR],
      ['curated/', CURATOR],
    ] as const) {
      for (const place of ['records/p/?size=100', 'records/p/?size=4&page=2', 'record?pid=ex:project-0']) {
        const { status, body } = await request(address, 'GET', `/${name}/${area}${place}`, secret);
        answers[`${name}/${area}${place}`] =
          `${status} ${canonicalJson(area === '' ? body : typesRemoved(body))}`;
      }
    }
  }
  for (const kind of ['tokens', 'collections']) {
    const { body } = await request(address, 'GET', `/${kind}`, ADMIN_TOKEN);
    const elements = (body as JsonObject[]).map(withoutUnsetPolicies);
    answers[kind] = elements.map((element) => canonicalJson(element)).sort();
  }
  return answers;
}

/** The peer's curation reads show `schema_type` only where it is on disk; ours always. */
function typesRemoved(body: JsonValue): JsonValue {
  if (typeof body !== 'object' || body === null) return body;
  const without = (record: JsonValue) => ({ ...(record as object), schema_type: '' }) as JsonValue;
  const page = body as { items?: JsonValue[] };
  return page.items === undefined
    ? without(body)
    : ({ ...page, items: page.items.map(without) } as JsonValue);
}

async function request(
  address: string,
  method: string,
  place: string,
  secret: string,
  body?: JsonValue,
): Promise<{ status: number; body: JsonValue }> {
  const response = await fetch(address + place, {
    method,
    headers: {
      'x-dumpthings-token': secret,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as JsonValue };
}
