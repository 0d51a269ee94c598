/**
 * The peer opens the export of a store whose records were decided on, renamed, merged, and switched to another schema, on
 * every backend of its own: it serves the same records. After it has written, we take the store in again; what the peer has
 * no place for, such as decisions, is not in it.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMIN, testApp } from '../support/app.ts';
import { exportStore } from '../support/export-store.ts';
import { BEFORE, RENAMED } from '../support/schemas.ts';
import { findPeer } from './peer.ts';
import { startPeer } from './services.ts';

const found = await findPeer();
const skip = 'missing' in found ? found.missing : false;
const BACKENDS = ['record_dir', 'record_dir+stl', 'sqlite', 'sqlite+stl'] as const;
const NAMES = BACKENDS.map((type) => type.replace('+', '-'));

type Person = { pid: string; schema_type?: string; email?: string; friend?: string };
type Row = {
  pid: string;
  digest: string;
  standing: string;
  submitter: string | null;
  base_etag: string | null;
};

const person = (pid: string, more = {}) => ({ pid, mail: `${pid.slice(3)}@example.org`, ...more });

/** The peer dumps `schema_type` only as a slot of the whole schema with this URI. */
function forPeer(schema: string): string {
  const slot = 'schema_type: { designates_type: true, range: uriorcurie }';
  const rest = schema
    .replace(`      ${slot}\n`, '')
    .replace('    attributes:\n', '    slots: [schema_type]\n    attributes:\n');
  const prefixes = rest.replace(
    'prefixes:\n',
    'prefixes:\n  rdf: http://www.w3.org/1999/02/22-rdf-syntax-ns#\n',
  );
  return `${prefixes}slots:\n  ${slot.replace('{ ', '{ slot_uri: rdf:type, ')}\n`;
}

const untyped = ({ schema_type: _, ...rest }: Person) => rest;

test('the peer serves and continues a store after decisions, moves and a schema change', {
  skip,
}, async (t) => {
  if ('missing' in found) return;
  const folder = mkdtempSync(join(tmpdir(), 'accession-downgrade-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [one, two] = [join(folder, 'one.yaml'), join(folder, 'two.yaml')];
  writeFileSync(one, forPeer(BEFORE));
  writeFileSync(two, forPeer(RENAMED));
  const modes = (mode: string) => Object.fromEntries(NAMES.map((c) => [c, mode]));
  let service = await testApp(t, {
    collections: Object.fromEntries(
      BACKENDS.map((type, at) => [NAMES[at], { schema: one, backend: { type }, default_token: 'guest' }]),
    ),
    tokens: { ann: modes('WRITE_COLLECTION'), cora: modes('CURATOR'), guest: modes('READ_CURATED') },
  });
  const call = async <T>(method: string, url: string, json?: object, token = 'cora') => {
    const answer = await service.request(method, url, { token, ...(json && { json }) });
    assert.equal(answer.status, 200, `${method} ${url}: ${answer.text}`);
    return answer.json<T>();
  };
  const item = (c: string, pid: string) => call<Row>('GET', `/-/${c}/review/item?label=ann&pid=${pid}`);
  const decide = async (c: string, pid: string, ruling: object) => {
    const { digest } = await item(c, pid);
    await call('POST', `/-/${c}/review/decisions`, { label: 'ann', pid, digest, ...ruling });
  };
  for (const c of NAMES) {
    for (const id of ['a', 'b', 'c'])
      await call('POST', `/${c}/curated/record/Person`, person(`ex:${id}`, { friend: 'ex:a' }));
    for (const id of ['new', 'bad', 'wait'])
      await call('POST', `/${c}/record/Person`, person(`ex:${id}`), 'ann');
    await decide(c, 'ex:new', { decision: 'accept' });
    await decide(c, 'ex:bad', { decision: 'reject', reason: 'no' });
    await call('POST', `/-/${c}/curated/rename`, { from: 'ex:a', to: 'ex:renamed' });
    await call('POST', `/-/${c}/curated/merge`, { keep: 'ex:b', drop: 'ex:c', take: { '': 'keep' } });
    const { id } = await call<{ id: string }>('POST', `/-/${c}/rehearse`, { address: two }, ADMIN);
    await call('POST', `/-/${c}/rehearsals/${id}/switch`, { if_valid: true }, ADMIN);
  }
  const areas = (c: string) => [`/${c}/curated/records/`, `/${c}/incoming/ann/records/`];
  const expected = new Map<string, Person[]>();
  for (const url of NAMES.flatMap(areas)) expected.set(url, await call<Person[]>('GET', url));
  assert.deepEqual(
    expected.get('/sqlite/curated/records/')?.map(({ pid, friend }) => `${pid} ${friend}`),
    ['ex:b ex:renamed', 'ex:new undefined', 'ex:renamed ex:renamed'],
  );

  await service.app.close();
  const store = exportStore(service.store);
  const peer = await startPeer(found.peer, store, { adminToken: ADMIN });
  const ask = async (method: string, url: string, token: string, json?: object) => {
    const headers = { 'x-dumpthings-token': token, 'content-type': 'application/json' };
    const answer = await fetch(`${peer.address}${url}`, {
      method,
      headers,
      ...(json && { body: JSON.stringify(json) }),
    });
    const body = await answer.text();
    assert.equal(answer.status, 200, `${method} ${url}: ${body}\n${peer.output().slice(-2000)}`);
    return JSON.parse(body) as Person[];
  };
  try {
    // The peer's curators read past the layer that adds types.
    for (const [url, records] of expected)
      assert.deepEqual((await ask('GET', url, 'cora')).map(untyped), records.map(untyped), url);
    for (const c of NAMES) {
      await ask('POST', `/${c}/record/Human`, 'ann', { pid: 'ex:peer', email: 'p@example.org' });
      await ask('POST', `/${c}/curated/record/Human`, 'cora', { pid: 'ex:b', email: 'other@example.org' });
    }
  } finally {
    await peer.stop();
  }

  service = await testApp(t, {}, { store });
  for (const c of NAMES) {
    const curated = await call<Person[]>('GET', `/${c}/curated/records/`);
    assert.deepEqual(
      curated.map(({ pid }) => pid),
      ['ex:b', 'ex:new', 'ex:renamed'],
      c,
    );
    assert.equal(curated[0]?.email, 'other@example.org');
    // What another program stored has no submitter that we know, and what it was made from is unknown.
    for (const pid of ['ex:peer', 'ex:bad']) {
      const { submitter, base_etag, standing } = await item(c, pid);
      assert.deepEqual([submitter, base_etag, standing], [null, 'unknown', 'waiting'], `${c} ${pid}`);
    }
  }
});
