/** Requests to the maintenance and administration endpoints, in an order in which each finds what the ones before left. */
import type { JsonValue } from '#linkml/json.ts';
import { get, json, post, remove, type Step, step } from './step.ts';
import { ADMIN_TOKEN, collection, SCHEMA, secretOf, token } from './world.ts';

const CURATOR = secretOf('CURATOR');
const WRITER = secretOf('WRITE_COLLECTION');

export function maintenance(): Step[] {
  const set = (active: unknown, secret: string | undefined, point: string, name = 'service') =>
    post('maintenance', '/maintenance', { collection: name, active } as JsonValue, secret, point);
  const person = { pid: 'ex:maintained' };
  return [
    set(true, undefined, 'no token'),
    set(true, WRITER, 'no curator'),
    set(true, 'nobody knows this', 'unknown token'),
    set(true, CURATOR, 'missing collection', 'absent'),
    post('maintenance', '/maintenance', { collection: 'service' }, CURATOR, 'key missing'),
    post('maintenance', '/maintenance', { collection: 'service', active: 'x' }, CURATOR, 'wrong type'),
    post(
      'maintenance',
      '/maintenance',
      { collection: 'service', active: true, more: 1 },
      CURATOR,
      'unknown key',
    ),
    set(true, CURATOR, 'on'),
    get('maintenance', '/service/records/', WRITER, 'read by a writer'),
    get('maintenance', '/service/records/', undefined, 'read without token'),
    get('maintenance', '/service/records/', 'nobody knows this', 'read with an unknown token'),
    get('maintenance', '/service/records/', CURATOR, 'read by a curator'),
    get('maintenance', '/service/records/p/Person', WRITER, 'page by a writer'),
    post('maintenance', '/service/record/Person', person, WRITER, 'store by a writer'),
    post('maintenance', '/service/validate/record/Person', person, WRITER, 'validate by a writer'),
    remove('maintenance', '/service/record?pid=ex:maintained', WRITER, 'delete by a writer'),
    post('maintenance', '/service/curated/record/Person', person, CURATOR, 'curated store'),
    get('maintenance', '/server', undefined, 'server information'),
    set(true, CURATOR, 'on again'),
    set(false, CURATOR, 'off'),
    set(false, CURATOR, 'off again'),
    get('maintenance', '/service/records/', WRITER, 'read afterwards'),
  ];
}

export function administration(): Step[] {
  const admin = (method: string, path: string, point: string, body?: unknown) =>
    step('admin', method, path, ADMIN_TOKEN, point, body === undefined ? {} : json(body as JsonValue));
  const fresh = { name: 'fresh', ...collection('fresh', {}) };
  const reader = { name: 'reader', ...token('reader', 'READ_COLLECTION', ['fresh'], 'secret of the reader') };
  const hash = 'a'.repeat(64);
  return [
    admin('GET', '/collections', 'list'),
    admin('GET', '/collections/stl', 'one'),
    admin('GET', '/collections/absent', 'missing'),
    admin('POST', '/collections', 'create', fresh),
    admin('POST', '/collections', 'create again', fresh),
    ...['collections', 'tokens', 'admin_tokens', 'api', '__dump_things__'].map((name) =>
      admin('POST', '/collections', `reserved name ${name}`, { ...fresh, name }),
    ),
    ...['name', 'schema', 'default_token', 'curated'].map((key) =>
      admin('POST', '/collections', `without ${key}`, { ...fresh, name: 'partial', [key]: undefined }),
    ),
    admin('POST', '/collections', 'unknown key', { ...fresh, name: 'odd-1', colour: 'blue' }),
    admin('POST', '/collections', 'unknown backend', { ...fresh, name: 'odd-2', backend: { type: 'cloud' } }),
    admin('POST', '/collections', 'mapping for sqlite', {
      ...fresh,
      name: 'odd-4',
      backend: { type: 'sqlite', mapping_method: 'digest-md5' },
    }),
    admin('POST', '/collections', 'absolute path', { ...fresh, name: 'odd-5', curated: '/tmp/elsewhere' }),
    admin('POST', '/collections', 'path upwards', { ...fresh, name: 'odd-6', curated: '../elsewhere' }),
    admin('POST', '/collections', 'incoming upwards', {
      ...fresh,
      name: 'odd-7',
      incoming: 'a/../../elsewhere',
    }),
    admin('POST', '/collections', 'no JSON', undefined),
    admin('GET', '/collections/fresh', 'defaults filled in'),
    get('admin', '/fresh/records/', CURATOR, 'a token without entry'),
    admin('POST', '/tokens', 'create', reader),
    admin('POST', '/tokens', 'create again', reader),
    admin('POST', '/tokens', 'representation taken', { ...reader, name: 'reader-2' }),
    admin('POST', '/tokens', 'generated', { ...reader, name: 'generated', representation: undefined }),
    admin('POST', '/tokens', 'unknown collection', {
      ...token('x', 'READ_CURATED', ['absent'], 'xx'),
      name: 'x',
    }),
    admin('POST', '/tokens', 'unknown mode', {
      ...token('x', 'READ_EVERYTHING', ['fresh'], 'xx'),
      name: 'x',
    }),
    admin('POST', '/tokens', 'writing mode without label', {
      name: 'x',
      user_id: 'x',
      representation: 'xx',
      collections: { fresh: { mode: 'WRITE_COLLECTION' } },
    }),
    admin('POST', '/tokens', 'reading mode without label', {
      name: 'unlabelled',
      user_id: 'x',
      representation: 'unlabelled',
      collections: { fresh: { mode: 'READ_CURATED' } },
    }),
    admin('POST', '/tokens', 'unknown key', { ...reader, name: 'x', representation: 'xx', colour: 'blue' }),
    admin('POST', '/tokens', 'user missing', { name: 'x', collections: {} }),
    admin('GET', '/tokens/reader', 'one'),
    admin('GET', '/tokens/absent', 'missing'),
    get('admin', '/fresh/records/', 'secret of the reader', 'the new token'),
    admin('PUT', '/tokens', 'replace', { ...reader, representation: 'another secret' }),
    get('admin', '/fresh/records/', 'secret of the reader', 'the replaced secret'),
    get('admin', '/fresh/records/', 'another secret', 'the new secret'),
    admin('GET', '/tokens', 'list'),
    admin('DELETE', '/tokens/reader', 'delete'),
    admin('DELETE', '/tokens/reader', 'delete again'),
    admin('DELETE', '/tokens/anyone', 'default token'),
    get('admin', '/fresh/records/', 'another secret', 'the deleted token'),
    admin('POST', '/admin_tokens', 'create', { name: 'second', representation: hash }),
    admin('POST', '/admin_tokens', 'create again', { name: 'second', representation: hash }),
    admin('POST', '/admin_tokens', 'no hash', { name: 'third', representation: 'secret' }),
    admin('POST', '/admin_tokens', 'no representation', { name: 'third' }),
    admin('POST', '/admin_tokens', 'reserved name', { name: '__bootstrap__', representation: hash }),
    admin('PUT', '/admin_tokens', 'replace', { name: 'second', representation: 'b'.repeat(64) }),
    admin('GET', '/admin_tokens', 'list'),
    admin('GET', '/admin_tokens/second', 'one'),
    admin('DELETE', '/admin_tokens/second', 'delete'),
    admin('DELETE', '/admin_tokens/second', 'delete again'),
    admin('DELETE', '/admin_tokens/__bootstrap__', 'bootstrap token'),
    admin('PUT', '/collections', 'replace', { ...fresh, use_classes: ['Person'] }),
    admin('PUT', '/collections/fresh', 'replace, name in the path', { ...fresh, use_classes: ['Person'] }),
    get('admin', '/server', undefined, 'classes of the replaced collection'),
    admin('DELETE', '/collections/fresh', 'delete'),
    admin('DELETE', '/collections/fresh', 'delete again'),
    get('admin', '/fresh/records/', CURATOR, 'the deleted collection'),
    ...['GET', 'POST', 'PUT', 'DELETE'].map((method) =>
      step(
        'admin',
        method,
        method === 'DELETE' ? '/collections/stl' : '/collections',
        undefined,
        'no admin token',
        method === 'GET' ? {} : json({ ...fresh, schema: SCHEMA }),
      ),
    ),
    // Last, for the peer takes what leaves its state different: names, a malformed hash,
    ...['server', 'docs', 'maintenance', '-'].map((name) =>
      admin('POST', '/collections', `reserved name ${name}`, { ...fresh, name }),
    ),
    admin('POST', '/tokens', 'malformed hash', {
      ...token('hashed', 'READ_COLLECTION', ['stl'], 'short'),
      name: 'hashed',
      hashed: true,
    }),
    // and broken entries, because of which it refuses every later change.
    admin('POST', '/collections', 'unknown mapping', {
      ...fresh,
      name: 'odd-8',
      curated: 'odd-8/curated',
      backend: { type: 'record_dir', mapping_method: 'x' },
    }),
    admin('POST', '/collections', 'other mapping on the same directory', {
      ...fresh,
      name: 'odd-9',
      backend: { type: 'record_dir', mapping_method: 'digest-sha1' },
    }),
  ];
}
