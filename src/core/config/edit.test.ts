import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SCHEMAS } from '../../../test/support/configuration-schemas.ts';
import { type ErrorCode, isServiceError } from '../errors.ts';
import { authenticateAdmin, bootstrapHash } from './admin-token.ts';
import { type Configuration, EMPTY_CONFIGURATION } from './config.ts';
import { type Placement, putCollection, removeCollection, strayPlaces } from './edit-collections.ts';
import { putAdminToken, putToken, removeAdminToken, removeToken, tokensWithoutZone } from './edit-tokens.ts';
import { parseAdminToken, parseCollection, parseToken } from './parse.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'accession-edit-')));
after(() => rmSync(root, { recursive: true }));

const collection = {
  name: 'lab',
  schema: 'lab.yaml',
  default_token: 'anon',
  curated: 'lab/curated',
  incoming: 'lab/in',
};
const writer = {
  name: 'writer',
  user_id: 'w',
  collections: { lab: { mode: 'WRITE_COLLECTION', incoming_label: 'w' } },
  representation: 'secret',
};

function withCollection(current: Configuration, body: object = collection, placement: Placement = 'create') {
  return putCollection(current, parseCollection(body, SCHEMAS), placement, { root, schemas: SCHEMAS });
}

function withToken(current: Configuration, body: object = writer, placement: Placement = 'create') {
  return putToken(current, parseToken(body), placement);
}

const laboratory = withCollection(EMPTY_CONFIGURATION);
const withWriter = withToken(laboratory).configuration;

const REFUSED: readonly (readonly [name: string, code: ErrorCode, act: () => unknown])[] = [
  ['a collection of a name that is taken', 'name_taken', () => withCollection(laboratory)],
  [
    'a collection of a reserved name',
    'name_reserved',
    () => withCollection(laboratory, { ...collection, name: 'docs' }),
  ],
  [
    'a curated path out of the store',
    'path_outside_store',
    () => withCollection(laboratory, { ...collection, curated: '../x' }, 'create or replace'),
  ],
  [
    'an incoming path out of the store',
    'path_outside_store',
    () => withCollection(laboratory, { ...collection, incoming: '/x' }, 'create or replace'),
  ],
  [
    'taking the incoming path from a collection that a token writes to',
    'incoming_missing',
    () => withCollection(withWriter, { ...collection, incoming: null }, 'create or replace'),
  ],
  [
    'deleting a collection that is not there',
    'collection_unknown',
    () => removeCollection(laboratory, 'other'),
  ],
  [
    'deleting what every JavaScript object has',
    'collection_unknown',
    () => removeCollection(laboratory, 'constructor'),
  ],
  [
    'a token of a name that is taken',
    'name_taken',
    () => withToken(withWriter, { ...writer, representation: 'x' }),
  ],
  [
    'a token for an unknown collection',
    'collection_unknown',
    () => withToken(laboratory, { ...writer, collections: { no: { mode: 'NOTHING' } } }),
  ],
  [
    'a writing token without label',
    'label_missing',
    () => withToken(laboratory, { ...writer, collections: { lab: { mode: 'SUBMIT' } } }),
  ],
  [
    'a curator without label',
    'label_missing',
    () => withToken(laboratory, { ...writer, collections: { lab: { mode: 'CURATOR' } } }),
  ],
  [
    'a label that leads out',
    'payload_invalid',
    () =>
      withToken(laboratory, { ...writer, collections: { lab: { mode: 'SUBMIT', incoming_label: '..' } } }),
  ],
  [
    'a writing token for a collection without incoming',
    'incoming_missing',
    () => withToken(withCollection(EMPTY_CONFIGURATION, { ...collection, incoming: null })),
  ],
  [
    'a secret that another token has',
    'representation_taken',
    () => withToken(withWriter, { ...writer, name: 'other' }),
  ],
  [
    'the hash of a secret that another token has',
    'representation_taken',
    () => withToken(withWriter, { ...writer, name: 'other', hashed: true, representation: sha256('secret') }),
  ],
  [
    'a hashed token without a hash',
    'hash_malformed',
    () => withToken(laboratory, { ...writer, hashed: true }),
  ],
  [
    'a hash that is too short',
    'hash_malformed',
    () => withToken(laboratory, { ...writer, hashed: true, representation: sha256('x').slice(1) }),
  ],
  [
    'a hash with blanks around it',
    'hash_malformed',
    () => withToken(laboratory, { ...writer, hashed: true, representation: ` ${sha256('x')} ` }),
  ],
  ['deleting a token that is not there', 'token_unknown', () => removeToken(withWriter, 'other')],
  [
    'deleting a default token',
    'default_token_kept',
    () => removeToken(withToken(laboratory, { ...writer, name: 'anon' }).configuration, 'anon'),
  ],
  [
    'an admin token in plain text',
    'hash_malformed',
    () => putAdminToken(laboratory, { name: 'root', representation: 'secret' }, 'create'),
  ],
  [
    'an empty admin token',
    'hash_malformed',
    () => putAdminToken(laboratory, { name: 'root', representation: '' }, 'create'),
  ],
  [
    'an admin token of the reserved name',
    'name_reserved',
    () =>
      putAdminToken(laboratory, { name: '__bootstrap__', representation: sha256('x') }, 'create or replace'),
  ],
  [
    'deleting the last admin token',
    'last_admin_token',
    () => {
      const configuration = putAdminToken(
        EMPTY_CONFIGURATION,
        { name: 'last', representation: sha256('x') },
        'create',
      );
      assert.deepEqual(removeAdminToken(configuration, 'last', true).admin_tokens, {});
      removeAdminToken(configuration, 'last', false);
    },
  ],
  [
    'deleting an admin token that is not there',
    'admin_token_unknown',
    () => removeAdminToken(laboratory, '__bootstrap__', true),
  ],
];

for (const [name, code, act] of REFUSED) {
  test(`${name} is refused as ${code}`, () => {
    assert.throws(act, (error) => isServiceError(error) && error.code === code);
  });
}

test('a token without representation gets one of 192 random bits', () => {
  const { configuration, token } = withToken(laboratory, { ...writer, representation: '' });
  assert.match(token.representation, /^[0-9a-f]{48}$/);
  assert.equal(configuration.tokens.writer?.representation, token.representation);
});

test('of a generated secret for a hashed token only the hash is stored, and the secret is returned once', () => {
  const { configuration, token } = withToken(laboratory, { ...writer, representation: '', hashed: true });
  assert.match(token.representation, /^[0-9a-f]{48}$/);
  assert.deepEqual(configuration.tokens.writer?.representation, sha256(token.representation));
  assert.equal(configuration.tokens.writer?.hashed, true);
});

test('a token is sent back as it was read, also when one of its collections is gone', () => {
  const { writer: kept } = removeCollection(withWriter, 'lab').tokens;
  const sent = parseToken(JSON.parse(JSON.stringify({ name: 'writer', ...kept })));
  const { configuration } = putToken(removeCollection(withWriter, 'lab'), sent, 'create or replace');
  assert.deepEqual(configuration.tokens.writer, kept);
});

test('hashes are compared in lower case, as they are computed', () => {
  const body = { ...writer, hashed: true, representation: sha256('secret').toUpperCase() };
  assert.equal(withToken(laboratory, body).configuration.tokens.writer?.representation, sha256('secret'));
  const admin = parseAdminToken({ name: 'root', representation: sha256('admin').toUpperCase() });
  assert.equal(authenticateAdmin(putAdminToken(laboratory, admin, 'create'), undefined, 'admin'), 'root');
});

test('an edit leaves the configuration that it started from as it was', () => {
  const before = structuredClone(laboratory);
  withToken(laboratory);
  withCollection(laboratory, { ...collection, schema: 'other.yaml' }, 'create or replace');
  removeCollection(laboratory, 'lab');
  assert.deepEqual(laboratory, before);
});

test('paths outside of the store are reported for a configuration that is stored already', () => {
  const { lab } = laboratory.collections;
  const stray = { ...laboratory, collections: { lab: lab!, far: { ...lab!, incoming: '/elsewhere' } } };
  assert.deepEqual(strayPlaces(stray, root, SCHEMAS.keys), [
    `collection 'far': incoming-path "/elsewhere" leads out of the store.`,
  ]);
});

test('tokens that may write and have no zone are reported for a configuration that is stored already', () => {
  const { lab } = laboratory.collections;
  const entry = { mode: 'WRITE_COLLECTION', incoming_label: '' } as const;
  const collections = { lab: { ...lab!, incoming: 'lab/incoming' }, open: { ...lab!, incoming: null } };
  const eve = { user_id: 'eve', representation: 'eve', hashed: false };
  const tokens = {
    eve: { ...eve, collections: { lab: entry, open: { ...entry, incoming_label: 'eve' }, gone: entry } },
    ann: { ...eve, collections: { lab: { ...entry, incoming_label: 'ann' } } },
    reader: { ...eve, collections: { lab: { mode: 'READ_CURATED', incoming_label: '' } } },
    hidden: { ...eve, collections: { lab: { mode: 'READ_COLLECTION', incoming_label: '.bob' } } },
  } as const;
  assert.deepEqual(
    tokensWithoutZone({ ...laboratory, collections, tokens }).map(
      (sentence) => sentence.split(', since ')[1],
    ),
    [
      'it has no `incoming_label`',
      'the collection has no `incoming` path',
      'its label ".bob" starts with a dot.',
    ],
  );
});

test('the admin token of the command line wins over the environment', () => {
  const environment = { ACCESSION_ADMIN_TOKEN: 'ours', DTS_ADMIN_TOKEN: 'theirs' };
  assert.equal(bootstrapHash(sha256('x'), environment), sha256('x'));
  assert.equal(bootstrapHash('', environment), sha256('ours'));
  assert.equal(bootstrapHash(undefined, { DTS_ADMIN_TOKEN: 'theirs' }), sha256('theirs'));
  assert.equal(bootstrapHash(undefined, {}), undefined);
  assert.throws(() => bootstrapHash('plain', {}), /64 hexadecimal digits/);
});

test('no client is an administrator without an admin token', () => {
  for (const token of [undefined, '', 'secret', sha256('admin')]) {
    assert.throws(() => authenticateAdmin(withWriter, sha256('admin'), token), /admin token/);
  }
  assert.equal(authenticateAdmin(withWriter, sha256('admin'), 'admin'), '__bootstrap__');
});

function sha256(text: string): string {
  return hash('sha256', text, 'hex');
}
