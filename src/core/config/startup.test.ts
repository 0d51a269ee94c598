import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { SCHEMAS } from '../../../test/support/configuration-schemas.ts';
import { refusedNames } from './names.ts';
import { initialConfiguration } from './startup.ts';

let root: string;
let elsewhere: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'accession-start-')));
  elsewhere = realpathSync(mkdtempSync(join(tmpdir(), 'accession-elsewhere-')));
});
afterEach(() => {
  for (const folder of [root, elsewhere]) rmSync(folder, { recursive: true });
});

const HEAD = 'type: collections\nversion: 2\n';

function put(folder: string, name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

function tokensOf(options: object = {}): string[] {
  return Object.keys(initialConfiguration({ root, schemas: SCHEMAS, ...options }).tokens);
}

test('the file of the command line comes before the default file, which comes before nothing', () => {
  assert.deepEqual(tokensOf(), []);
  put(root, '.dumpthings.yaml', `${HEAD}tokens: { default: { user_id: d, collections: {} } }`);
  const configFile = put(
    elsewhere,
    'config.yaml',
    `${HEAD}tokens: { given: { user_id: g, collections: {} } }`,
  );
  assert.deepEqual(tokensOf(), ['default']);
  assert.deepEqual(tokensOf({ ignoreDefaultConfigFile: true }), []);
  assert.deepEqual(tokensOf({ configFile }), ['given']);
  assert.deepEqual(tokensOf({ configFile, ignoreDefaultConfigFile: true }), ['given']);
});

test('version 1 finds schema and mapping in the record directory', () => {
  mkdirSync(join(root, 'lab'));
  put(
    root,
    'lab/.dumpthings.yaml',
    'type: records\nversion: 1\nschema: lab.yaml\nformat: yaml\nidfx: digest-sha1\n',
  );
  put(
    root,
    '.dumpthings.yaml',
    `type: collections
version: 1
collections: { lab: { default_token: anon, curated: lab } }
tokens: { anon: { user_id: a, collections: { lab: { mode: READ_CURATED, incoming_label: '' } } } }
`,
  );
  const { lab } = initialConfiguration({ root, schemas: SCHEMAS }).collections;
  assert.equal(lab?.schema, 'lab.yaml');
  assert.deepEqual(lab?.backend, { type: 'record_dir+stl', mapping_method: 'digest-sha1' });
});

test('collections of a file may have names that administration refuses', () => {
  const configFile = put(
    elsewhere,
    'config.yaml',
    `${HEAD}collections: { docs: { schema: s, default_token: t, curated: lab } }`,
  );
  const read = initialConfiguration({ root, schemas: SCHEMAS, configFile });
  assert.deepEqual(refusedNames(read), [
    'collection "docs": The name \'docs\' cannot be used: it is reserved for the service; it is served where no other path hides it',
  ]);
});

const REFUSED: readonly (readonly [name: string, text: string, message: RegExp])[] = [
  ['a file that is not YAML', 'collections: [', /config\.yaml: line 1, column \d+: not valid YAML/],
  ['an empty file', '', /config\.yaml: expected a mapping, found null/],
  [
    'an unknown key',
    `${HEAD}tokens: { a: { user: x, collections: {} } }`,
    /config\.yaml: .*tokens\.a\.user: unknown key/,
  ],
  [
    'a path out of the store',
    `${HEAD}collections: { lab: { schema: s, default_token: t, curated: ../lab } }`,
    /collections\.lab: curated-path "\.\.\/lab" leads out/,
  ],
  [
    'an absolute path',
    `${HEAD}collections: { lab: { schema: s, default_token: t, curated: lab, incoming: /tmp/in } }`,
    /collections\.lab: incoming-path "\/tmp\/in" leads out/,
  ],
  [
    'a link out of the store',
    `${HEAD}collections: { lab: { schema: s, default_token: t, curated: link/lab } }`,
    /curated-path "link\/lab" leads out/,
  ],
  [
    'a label that is not a valid name',
    `${HEAD}tokens: { a: { user_id: x, collections: { lab: { mode: SUBMIT, incoming_label: a/b } } } }`,
    /tokens\.a\.collections\.lab\.incoming_label: "a\/b" contains a slash/,
  ],
  [
    'a hash that is none',
    `${HEAD}tokens: { a: { user_id: x, collections: {}, hashed: true, representation: secret } }`,
    /tokens\.a\.representation: expected the SHA-256/,
  ],
  [
    'version 1 without a record directory',
    'type: collections\nversion: 1\ncollections: { lab: { default_token: a, curated: lab } }\ntokens: { a: { user_id: x, collections: {} } }',
    /lab\/\.dumpthings\.yaml cannot be read: no such file/,
  ],
];

for (const [name, text, message] of REFUSED) {
  test(`${name} is refused in one line that says where`, () => {
    symlinkSync(elsewhere, join(root, 'link'));
    const configFile = put(elsewhere, 'config.yaml', text);
    assert.throws(
      () => initialConfiguration({ root, schemas: SCHEMAS, configFile }),
      (error) => {
        assert.ok(error instanceof Error);
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /\n|secret/);
        return true;
      },
    );
  });
}

test('a file that is not there is refused', () => {
  assert.throws(
    () => initialConfiguration({ root, schemas: SCHEMAS, configFile: join(elsewhere, 'none.yaml') }),
    {
      message: `${join(elsewhere, 'none.yaml')} cannot be read: no such file`,
    },
  );
});
