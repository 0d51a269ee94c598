/** What is shown of the configuration. Secrets of modules are tested with them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeChange } from '../records/describe-change.ts';
import { configurationDifferences } from './compare.ts';
import { type Configuration, configurationSchemasWith, EMPTY_CONFIGURATION } from './config.ts';

const schemas = configurationSchemasWith(
  { mail: { schema: { type: 'object', properties: { host: {}, password: { format: 'password' } } } } },
  {
    sealed: {
      properties: { type: { const: 'sealed' }, key: { type: 'string', format: 'password' } },
    },
  },
);

const configuration = (secret: string) => ({
  ...EMPTY_CONFIGURATION,
  collections: {
    'a/b': {
      schema: 's.yaml',
      mail: { host: 'mail.example', password: secret },
      auth_sources: [{ type: 'config' }, { type: 'sealed', key: secret }, { type: 'other', words: [secret] }],
      unknown: { of: secret },
    },
  },
  tokens: {
    ann: {
      user_id: 'ann',
      collections: { 'a/b': { mode: 'CURATOR' } },
      representation: secret,
      previous: { representation: secret, until: '2027-01-01' },
    },
  },
  admin_tokens: { representation: { representation: secret } },
});

const [before, after] = [configuration('former-secret'), configuration('later-secret')];

test('values that schemas know are shown, secrets and what no schema knows are masked', () => {
  const step = { before: JSON.stringify(before), after: JSON.stringify(after) };
  const { changes, record } = describeChange({ ...step, masks: schemas });
  for (const text of [changes, record]) assert.doesNotMatch(text, /secret/);
  const paths = (JSON.parse(changes) as { path: string }[]).map(({ path }) => path);
  assert.deepEqual(paths, [
    '/admin_tokens/representation/representation',
    '/collections/a~1b/auth_sources/1/key',
    '/collections/a~1b/auth_sources/2/words/0',
    '/collections/a~1b/mail/password',
    '/collections/a~1b/unknown/of',
    '/tokens/ann/previous/representation',
    '/tokens/ann/representation',
  ]);
  const shown = JSON.parse(record) as typeof after;
  assert.deepEqual(shown.collections['a/b'].mail, { host: 'mail.example', password: '***' });
  assert.deepEqual(shown.collections['a/b'].unknown, '***');
  assert.deepEqual(shown.tokens.ann.collections, after.tokens.ann.collections);
  const added = describeChange({ before: undefined, after: step.after, masks: schemas });
  assert.doesNotMatch(added.changes, /secret/);
  assert.match(added.changes, /mail\.example/);
});

test('differences between configurations are masked alike', () => {
  const [one, other] = [before, after].map((value) => value as unknown as Configuration) as [
    Configuration,
    Configuration,
  ];
  const differences = configurationDifferences(one, other, schemas);
  assert.ok(differences.length > 0);
  assert.ok(differences.every((side) => side.before === '***' || Array.isArray(side.before)));
  assert.doesNotMatch(JSON.stringify(differences), /secret/);
});
