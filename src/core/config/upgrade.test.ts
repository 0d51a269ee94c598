import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SCHEMAS } from '../../../test/support/configuration-schemas.ts';
import { isServiceError } from '../errors.ts';
import { parseConfigurationFile } from './parse.ts';

const HASH = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824';
const FILE = `
type: collections
version: 1
collections:
  dir: { default_token: basic, curated: dir/curated, incoming: dir/incoming }
  plain: { default_token: basic, curated: plain, backend: { type: record_dir } }
  base: { default_token: basic, curated: base, backend: { type: sqlite, schema: base.yaml } }
tokens:
  basic: { user_id: anonymous, collections: { dir: { mode: READ_CURATED, incoming_label: '' } } }
  bob-${HASH}:
    hashed: true
    user_id: Bob
    collections: { dir: { mode: WRITE_COLLECTION, incoming_label: bob } }
`;

function read(file: string) {
  return parseConfigurationFile(file, SCHEMAS, (curated) => ({
    schema: `${curated}.yaml`,
    mapping_method: 'digest-sha1-p3',
  }));
}

test('tokens of version 1, keyed by secrets, get names in the order of the file', () => {
  const { tokens } = read(FILE);
  assert.deepEqual(Object.keys(tokens), ['token_1', 'token_2']);
  assert.equal(tokens.token_1?.representation, 'basic');
  assert.equal(tokens.token_1?.hashed, false);
});

test('a hashed token of version 1 keeps its hash as representation', () => {
  const { tokens } = read(FILE);
  assert.deepEqual(tokens.token_2, {
    user_id: 'Bob',
    collections: { dir: { mode: 'WRITE_COLLECTION', incoming_label: 'bob' } },
    hashed: true,
    representation: HASH,
  });
});

test('the default token is named where version 1 repeated the secret', () => {
  const { collections } = read(FILE);
  assert.deepEqual(
    new Set(Object.values(collections).map(({ default_token }) => default_token)),
    new Set(['token_1']),
  );
});

test('schema and mapping of record directories come from the directory, of databases from the backend', () => {
  const { dir, plain, base } = read(FILE).collections;
  assert.equal(dir?.schema, 'dir/curated.yaml');
  assert.deepEqual(dir?.backend, { type: 'record_dir+stl', mapping_method: 'digest-sha1-p3' });
  assert.equal(plain?.schema, 'plain.yaml');
  assert.deepEqual(plain?.backend, { type: 'record_dir', mapping_method: 'digest-sha1-p3' });
  assert.equal(base?.schema, 'base.yaml');
  assert.deepEqual(base?.backend, { type: 'sqlite' });
});

const WRONG: readonly (readonly [name: string, from: string, to: string, message: RegExp])[] = [
  [
    'a default token that does not exist',
    'default_token: basic, curated: base',
    'default_token: who, curated: base',
    /^collections\.base\.default_token:/,
  ],
  [
    'a hashed token without a hash',
    `bob-${HASH}`,
    'bob-secret',
    /^tokens: the hashed token "bob-"…: expected/,
  ],
  ['an unknown key', 'curated: base,', 'curated: base, extra: 1,', /^collections\.base\.extra: unknown key/],
  ['a token without user', 'user_id: Bob', '', /^tokens\.token_2\.user_id: the key is required/],
  ['a database without schema', ', schema: base.yaml', '', /^collections\.base\.schema/],
];

for (const [name, from, to, message] of WRONG) {
  test(`a file of version 1 with ${name} is refused, and no secret is shown`, () => {
    assert.throws(
      () => read(FILE.replace(from, to)),
      (error) => isServiceError(error) && message.test(error.message) && !error.message.includes('secret"'),
    );
  });
}
