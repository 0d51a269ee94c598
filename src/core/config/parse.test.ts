import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SCHEMAS } from '../../../test/support/configuration-schemas.ts';
import { isServiceError, type ServiceError } from '../errors.ts';
import { parseCollection, parseConfigurationFile, parseToken } from './parse.ts';

const HEAD = 'type: collections\nversion: 2\n';

const FILE = `
type: collections
version: 2
collections:
  lab: { schema: lab.yaml, default_token: anon, curated: lab//./curated/, incoming: lab/incoming }
  flat: { schema: lab.yaml, default_token: anon, curated: flat, backend: sqlite }
tokens:
  anon: { user_id: nobody, collections: { lab: { mode: READ_CURATED } } }
admin_tokens: {}
`;

test('a file is read with all defaults', () => {
  const { collections, tokens } = parse(FILE);
  const { audit_backends: _, ...ofTheCore }: Readonly<Record<string, unknown>> = collections.lab!;
  assert.deepEqual(ofTheCore, {
    schema: 'lab.yaml',
    default_token: 'anon',
    curated: 'lab/curated',
    incoming: 'lab/incoming',
    backend: { type: 'record_dir+stl', mapping_method: 'digest-md5' },
    auth_sources: [{ type: 'config' }],
    submission_tags: {
      submitter_id_tag: 'http://purl.obolibrary.org/obo/NCIT_C54269',
      submission_time_tag: 'http://semanticscience.org/resource/SIO_001083',
    },
    use_classes: [],
    ignore_classes: [],
  });
  assert.deepEqual(collections.flat?.backend, { type: 'sqlite' });
  assert.deepEqual(tokens.anon, {
    user_id: 'nobody',
    collections: { lab: { mode: 'READ_CURATED', incoming_label: '' } },
    hashed: false,
    representation: '',
  });
});

const WRONG_FILES: readonly (readonly [name: string, from: string, to: string, loc: string, msg: RegExp])[] =
  [
    [
      'an unknown key at the top',
      'admin_tokens',
      'admins',
      'admins',
      /unknown key; expected one of: type, version/,
    ],
    [
      'an unknown key of a collection',
      'default_token: anon, curated: flat',
      'default_token: anon, curated: flat, paths: x',
      'collections.flat.paths',
      /unknown key/,
    ],
    ['a missing key', 'curated: flat,', '', 'collections.flat.curated', /required/],
    [
      'an unknown backend',
      'backend: sqlite',
      'backend: csv',
      'collections.flat.backend.type',
      /"record_dir\+stl".*"sqlite".*, found "csv"/,
    ],
    [
      'a mapping for sqlite',
      'backend: sqlite',
      'backend: { type: sqlite, mapping_method: digest-md5 }',
      'collections.flat.backend.mapping_method',
      /unknown key/,
    ],
    [
      'an unknown source',
      'curated: flat,',
      'curated: flat, auth_sources: [{ type: ldap }],',
      'collections.flat.auth_sources.0.type',
      /"config".*, found "ldap"/,
    ],
    [
      'an unknown key of a source',
      'curated: flat,',
      'curated: flat, auth_sources: [{ type: config, x: 1 }],',
      'collections.flat.auth_sources.0.x',
      /unknown key/,
    ],
    [
      'an unknown tag',
      'curated: flat,',
      'curated: flat, submission_tags: { who: x },',
      'collections.flat.submission_tags.who',
      /unknown key/,
    ],
    [
      'a wrong mode',
      'READ_CURATED',
      'READ',
      'tokens.anon.collections.lab.mode',
      /expected one of .*"WRITE_INCOMING".*, found "READ"/,
    ],
    [
      'a number for a string',
      'user_id: nobody',
      'user_id: 7',
      'tokens.anon.user_id',
      /expected a string, found the number 7/,
    ],
    ['a version to come', 'version: 2', 'version: 3', 'version', /expected 2/],
    ['another type', 'type: collections', 'type: records', 'type', /"collections"/],
  ];

for (const [name, from, to, loc, msg] of WRONG_FILES) {
  test(`a file with ${name} is refused with its path`, () => {
    const error = errorOf(() => parse(FILE.replace(from, to)));
    assert.equal(error.code, 'config_invalid');
    const problem = error.problems.find((problem) => problem.loc.join('.') === loc);
    assert.match(problem?.msg ?? `no problem at ${loc}: ${error.message}`, msg);
  });
}

const POLICIES = {
  policy_annotation_tag: 'ex:policy',
  default_policy: 'internal',
  policy_mapping: [{ auth_source: 'config', user_id: 'ada', authorized_by: ['internal'] }],
  policy_info_location: 'policies.json',
};

test('policy keys that set nothing are accepted and dropped', () => {
  const keys = Object.keys(POLICIES);
  const nulls = keys.map((key) => `${key}: null`).join(', ');
  const { flat } = parse(FILE).collections;
  for (const unset of ['policy_mapping: []', nulls]) {
    assert.deepEqual(
      parse(FILE.replace('backend: sqlite', `backend: sqlite, ${unset}`)).collections.flat,
      flat,
    );
  }
  const payload = { name: 'c', schema: 's', default_token: 't', curated: 'c' };
  assert.deepEqual(
    parseCollection({ ...payload, policy_mapping: [] }, SCHEMAS),
    parseCollection(payload, SCHEMAS),
  );
});

test('policies of a collection are read, and wrong ones are refused with their paths', () => {
  const payload = { name: 'c', schema: 's', default_token: 't', curated: 'c' };
  const { name: _, ...read } = parseCollection({ ...payload, ...POLICIES }, SCHEMAS);
  for (const [key, value] of Object.entries(POLICIES)) assert.deepEqual(Reflect.get(read, key), value);
  for (const [key, value, loc] of [
    ['policy_annotation_tag', 7, ''],
    ['default_policy', ['a'], ''],
    ['policy_mapping', [{ auth_source: 'config', user_id: 'ada' }], '.0.authorized_by'],
    ['policy_mapping', [{ auth_source: 'config', user_id: 'ada', authorized_by: [1] }], '.0.authorized_by.0'],
    ['policy_mapping', [{ auth_source: 'c', user_id: 'a', authorized_by: [], x: 1 }], '.0.x'],
    ['policy_mapping', {}, ''],
    ['policy_info_location', false, ''],
  ] as const) {
    const { code, problems } = errorOf(() => parseCollection({ ...payload, [key]: value }, SCHEMAS));
    assert.equal(code, 'payload_invalid');
    assert.deepEqual(
      problems.map((problem) => problem.loc.join('.')),
      [`body.${key}${loc}`],
    );
    const file = FILE.replace('backend: sqlite', `backend: sqlite, ${key}: ${JSON.stringify(value)}`);
    assert.equal(errorOf(() => parse(file)).code, 'config_invalid');
  }
});

test('text that is not YAML is refused with the line', () => {
  assert.match(
    errorOf(() => parse('type: collections\nversion: [2')).message,
    /line 2, column \d+: not valid YAML/,
  );
  assert.match(errorOf(() => parse('a: 1\na: 2')).message, /line 2, column 1: the key a occurs twice/);
});

test('all problems of a payload are reported with their paths, and no secret is repeated', () => {
  const { problems, code } = errorOf(() =>
    parseToken({ name: 7, user_id: null, collections: { c: {} }, representation: 1234, x: 0 }),
  );
  assert.equal(code, 'payload_invalid');
  assert.deepEqual(problems.map(({ loc }) => loc.join('.')).sort(), [
    'body.collections.c.mode',
    'body.name',
    'body.representation',
    'body.user_id',
    'body.x',
  ]);
  assert.ok(!JSON.stringify(problems).includes('1234'));
});

test('a collection is read back as it is listed', () => {
  const payload = { name: 'c', schema: 's', default_token: 't', curated: 'c' };
  const source = {
    type: 'forgejo',
    url: 'https://forge.example/api/v1',
    organization: 'o',
    team: 't',
    label_type: 'user',
  };
  const listed = parseCollection({ ...payload, backend: 'sqlite+stl', auth_sources: [source] }, SCHEMAS);
  assert.deepEqual(parseCollection(JSON.parse(JSON.stringify(listed)), SCHEMAS), listed);
});

/** Scalars without quotes, and what the peer makes of them: a string, or an error. */
const STRINGS = '12e34567 n y N Y 1e3 1e+3 089 0o17 2024-1-1'.split(' ');
const NO_STRINGS =
  '1:30 2024-01-01 null ~ yes no on off true 0 1 010 0x1F 0b1 1_000 5.0 1.5e+3 .5 .inf 2024-01-01T00:00:00Z'.split(
    ' ',
  );

test('scalars of a configuration file are the strings that the peer reads', () => {
  for (const word of STRINGS) {
    const { tokens } = parse(
      `${HEAD}tokens: { ${word}: { user_id: ${word}, representation: ${word}, collections: {} } }`,
    );
    assert.deepEqual(tokens, {
      [word]: { user_id: word, representation: word, collections: {}, hashed: false },
    });
    const old = parseConfigurationFile(
      `type: collections\nversion: 1\ntokens: { ${word}: { user_id: u, collections: {} } }`,
      SCHEMAS,
      () => assert.fail('no collection'),
    );
    assert.equal(old.tokens.token_1?.representation, word);
  }
});

test('a scalar of a configuration file that is not a string is refused as name, user and secret', () => {
  for (const word of NO_STRINGS) {
    const found = /found |JSON does not have/;
    assert.match(
      errorOf(() => parse(`${HEAD}tokens: { ${word}: { user_id: u, collections: {} } }`)).message,
      found,
    );
    assert.match(
      errorOf(() => parse(`${HEAD}tokens: { t: { user_id: ${word}, collections: {} } }`)).message,
      found,
    );
    const secret = errorOf(() =>
      parse(`${HEAD}tokens: { t: { user_id: u, representation: ${word}, collections: {} } }`),
    );
    assert.match(secret.message, found);
  }
});

test('booleans and numbers of a configuration file may be spelled as the peer accepts them', () => {
  const hashed = (word: string): unknown =>
    parse(`${HEAD}tokens: { t: { user_id: u, hashed: ${word}, collections: {} } }`).tokens.t?.hashed;
  assert.deepEqual(['y', 'Y', 'yes', '1', 'on'].map(hashed), [true, true, true, true, true]);
  assert.deepEqual(['n', 'N', 'no', '0', "'off'"].map(hashed), [false, false, false, false, false]);
  assert.match(errorOf(() => hashed('089')).message, /expected true or false, found a string/);
});

test('names that JavaScript objects know are names like any other', () => {
  const { tokens } = parse(FILE.replace('  anon: {', '  __proto__: {'));
  assert.deepEqual(Object.keys(tokens), ['__proto__']);
});

function parse(yaml: string) {
  return parseConfigurationFile(yaml, SCHEMAS, () => assert.fail('version 2 asks for no area'));
}

function errorOf(act: () => unknown): ServiceError {
  try {
    act();
  } catch (error) {
    assert.ok(isServiceError(error), String(error));
    return error;
  }
  return assert.fail('nothing was thrown');
}
