/**
 * Stores of release 6.6.4 with what 6.3.3 does not have, for every backend and mapping method: policies, names with slashes, inboxes
 * that curators made, submitters in a form that release 6.6.4 cannot read itself. We serve them and change them, and an export is
 * served by release 6.6.4 or, without policies and such names, by 6.3.3.
 */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { canonicalJson, type JsonObject, type JsonValue } from '#linkml/json.ts';
import { exportStore } from '../support/export-store.ts';
import { findPeer, PRESENT_RELEASE, RELEASE } from './peer.ts';
import { type Service, startAccession, startPeer } from './services.ts';
import { ADMIN_TOKEN, BACKENDS, collection, MAPPINGS, makePlace, secretOf, token } from './world.ts';

const present = await findPeer(PRESENT_RELEASE);
const former = await findPeer(RELEASE);
const skip = 'missing' in present ? present.missing : 'missing' in former ? former.missing : false;

const CURATOR = secretOf('CURATOR');
const WRITER = secretOf('WRITE_COLLECTION');
const TAG = 'ex:policy';
const SUBMITTER = 'http://purl.obolibrary.org/obo/NCIT_C54269';
const POLICIES = {
  policy_annotation_tag: TAG,
  policy_mapping: [
    { auth_source: 'config', user_id: 'write_collection@example.org', authorized_by: ['x', 'it is'] },
    { auth_source: 'config', user_id: 'anyone@example.org', authorized_by: ['x'] },
  ],
};

type World = { readonly names: readonly string[]; readonly configuration: object };

/** A collection for every backend, and for those in directories one for every mapping method. */
function worldOf(prefix: string, policies: object): World {
  const backends = Object.values(BACKENDS).flatMap((type) =>
    type.startsWith('sqlite')
      ? [{ type }]
      : MAPPINGS.map((mapping_method) => ({ type, mapping_method: mapping_method as string })),
  );
  const nameOf = (backend: { type: string; mapping_method?: string }) =>
    `${prefix}${backend.type.replace('+', '-')}-${backend.mapping_method ?? ''}`;
  const names = backends.map(nameOf);
  return {
    names,
    configuration: {
      type: 'collections',
      version: 2,
      collections: Object.fromEntries(
        backends.map((backend, at) => [
          nameOf(backend),
          { ...collection(`areas/${at}`, { backend }), ...policies },
        ]),
      ),
      tokens: {
        anyone: token('anyone', 'READ_CURATED', names, 'secret of anyone'),
        writer: token('write_collection', 'WRITE_COLLECTION', names, WRITER),
        curator: token('curator', 'CURATOR', names, CURATOR),
      },
      admin_tokens: {},
    },
  };
}

type Run = {
  ask(method: string, path: string, secret?: string, body?: object): Promise<[number, JsonValue]>;
};

/** Serves a store while something is done. */
async function serving<T>(
  t: TestContext,
  start: () => Promise<Service>,
  work: (run: Run) => Promise<T>,
): Promise<T> {
  const service = await start();
  let isRunning = true;
  t.after(() => (isRunning ? service.stop() : undefined));
  const result = await work({
    async ask(method, path, secret, body) {
      const response = await fetch(service.address + path, {
        method,
        headers: {
          ...(secret !== undefined && { 'x-dumpthings-token': secret }),
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      try {
        return [response.status, JSON.parse(text) as JsonValue];
      } catch {
        return [response.status, text];
      }
    },
  });
  await service.stop();
  isRunning = false;
  return result;
}

const NAMED = [undefined, 'x', 'y', 'it is'];
const person = (name: string, policy?: string, more: object = {}) => ({
  pid: `ex:${name}`,
  name,
  ...(policy !== undefined && { annotations: { [TAG]: policy } }),
  ...more,
});

async function store({ ask }: Run, path: string, secret: string, body: object): Promise<void> {
  const [status, answer] = await ask('POST', path, secret, body);
  assert.equal(status, 200, `${path} ${JSON.stringify(answer)}`);
}

async function fill(run: Run, names: readonly string[], policies: readonly (string | undefined)[]) {
  for (const name of names) {
    for (const [at, policy] of policies.entries()) {
      await store(run, `/${name}/curated/record/Person`, CURATOR, person(`c${at}`, policy));
      await store(run, `/${name}/record/Person`, WRITER, person(`z${at}`, policy));
      await store(run, `/${name}/incoming/in box/record/Person`, CURATOR, person(`i${at}`, policy));
    }
  }
}

async function change(run: Run, names: readonly string[], policies: readonly (string | undefined)[]) {
  for (const name of names) {
    const last = policies.length - 1;
    for (const at of policies.keys())
      await store(run, `/${name}/curated/record/Person`, CURATOR, person(`c${at}`, policies[last - at]));
    await store(run, `/${name}/record/Person?add_submission_tag=true`, WRITER, person('added', policies[1]));
    await store(run, `/${name}/incoming/other box/record/Person`, CURATOR, person('i', policies[last]));
    assert.equal((await run.ask('DELETE', `/${name}/incoming/in box/record?pid=ex:i0`, CURATOR))[0], 200);
  }
}

/** What callers see of each collection. @param isFiltered whether the service restricts the records of a collection */
async function readAll(
  { ask }: Run,
  names: readonly string[],
  isFiltered: (name: string) => boolean,
): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  for (const name of names) {
    const paths = [
      ...['curated', 'incoming/write_collection', 'incoming/in box', 'incoming/other box'].map(
        (area) => [`${area}/records/p/?size=100`, CURATOR] as const,
      ),
      ['incoming/', CURATOR] as const,
      ...(isFiltered(name)
        ? [undefined, WRITER, CURATOR].flatMap((secret) => [
            ['records/p/?size=2', secret] as const,
            ['records/', secret] as const,
            ...NAMED.map((_, at) => [`record?pid=ex:c${at}`, secret] as const),
          ])
        : []),
    ];
    for (const [path, secret] of paths) {
      const [status, body] = await ask('GET', `/${name}/${path}`, secret);
      seen[`${name}/${path} ${secret ?? ''}`] = `${status} ${comparable(body)}`;
    }
  }
  return seen;
}

/** Curation reads of the peer have `schema_type` only if it is on disk. Times differ. */
function comparable(body: JsonValue): string {
  const text = JSON.stringify(body, (key, value: JsonValue) => (key === 'schema_type' ? undefined : value));
  return canonicalJson(JSON.parse(text) as JsonValue).replaceAll(/\d{4}-\d\d-\d\dT[\d:.+]+/g, 'TIME');
}

const isSqlite = (name: string) => name.includes('sqlite');
const theirs = (lookup: typeof present, store: string, config?: string) => () => {
  assert.ok('peer' in lookup);
  return startPeer(lookup.peer, store, {
    adminToken: ADMIN_TOKEN,
    ...(config !== undefined && { config }),
  });
};
const ours = (store: string) => () => startAccession(store, { adminToken: ADMIN_TOKEN });

test(`stores of ${PRESENT_RELEASE} with policies and slashes in names change hands and come back`, {
  skip,
}, async (t) => {
  const { names, configuration } = worldOf('team/', POLICIES);
  const place = await makePlace(configuration);
  t.after(() => place.remove());
  const written = await serving(t, theirs(present, place.store, place.config), async (run) => {
    await fill(run, names, NAMED);
    return readAll(run, names, isSqlite);
  });
  const changed = await serving(t, ours(place.store), async (run) => {
    assert.deepEqual(await readAll(run, names, isSqlite), written);
    const open = await readAll(run, names, () => true);
    const [first] = names.filter(isSqlite);
    for (const name of names)
      for (const [key, answer] of Object.entries(open))
        if (key.startsWith(`${name}/`))
          assert.equal(answer, open[key.replace(name, first!)], `${key}: every backend filters alike`);
    await change(run, names, NAMED);
    return readAll(run, names, isSqlite);
  });
  const exported = exportStore(place.store);
  await serving(t, theirs(present, exported), async (run) => {
    assert.deepEqual(await readAll(run, names, isSqlite), changed);
    const [, listed] = await run.ask('GET', '/collections', ADMIN_TOKEN);
    for (const one of listed as JsonObject[])
      assert.deepEqual(one.policy_mapping, POLICIES.policy_mapping, String(one.name));
    await fill(run, names, NAMED);
  });
});

test(`stores of ${PRESENT_RELEASE} that use nothing new are served by ${RELEASE} after us`, {
  skip,
}, async (t) => {
  const { names, configuration } = worldOf('plain-', {});
  const place = await makePlace(configuration);
  t.after(() => place.remove());
  await serving(t, theirs(present, place.store, place.config), (run) => fill(run, names, [undefined]));
  const changed = await serving(t, ours(place.store), async (run) => {
    await change(run, names, [undefined, undefined]);
    return readAll(run, names, () => true);
  });
  await serving(t, theirs(former, exportStore(place.store)), async (run) => {
    assert.deepEqual(await readAll(run, names, () => true), changed);
  });
});

test(`submitters that ${PRESENT_RELEASE} stored as pairs are read, exported and served by both releases`, {
  skip,
}, async (t) => {
  const { names, configuration } = worldOf('tags-', {});
  const place = await makePlace(configuration);
  t.after(() => place.remove());
  await serving(t, theirs(present, place.store, place.config), async (run) => {
    for (const name of names)
      await run.ask('POST', `/${name}/record/Person?add_submission_tag=true`, WRITER, person('a'));
    for (const name of names.filter((one) => !isSqlite(one)))
      assert.equal((await run.ask('GET', `/${name}/records/`, WRITER))[0], 500, 'the damage is there');
  });
  const submitters = async ({ ask }: Run) => {
    const found: Record<string, JsonValue> = {};
    for (const name of names) {
      for (const path of ['records/p/', 'records/p/?format=ttl'])
        assert.equal((await ask('GET', `/${name}/${path}`, WRITER))[0], 200, `${name}/${path}`);
      const [, page] = await ask('GET', `/${name}/records/p/`, WRITER);
      const [record] = (page as { items: JsonObject[] }).items;
      const annotations = (record?.annotations ?? {}) as Record<string, JsonValue>;
      const tag = Object.keys(annotations).find((key) => key === SUBMITTER || key.endsWith('NCIT_C54269'));
      found[name] = annotations[tag ?? ''] ?? null;
    }
    return found;
  };
  const wanted = Object.fromEntries(names.map((name) => [name, 'write_collection@example.org']));
  await serving(t, ours(place.store), async (run) => {
    assert.deepEqual(await submitters(run), wanted);
  });
  const exported = exportStore(place.store);
  for (const release of [former, present])
    await serving(t, theirs(release, exported), async (run) => {
      assert.deepEqual(await submitters(run), wanted);
    });
});
