/** What each endpoint with a JSON body says of bodies that do not have its form: where, what was expected, what was found. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingsSchemaWith } from '../../src/core/collections/settings.ts';
import { provided } from '../../src/module.ts';
import { MODULES, settingKeysOf } from '../../src/modules.ts';
import { ADMIN, LABORATORY, type TestService, testApp } from '../support/app.ts';
import type { BadBodies } from '../support/bad-bodies.ts';
import { SCHEMAS } from '../support/configuration-schemas.ts';
import { expectedOfModules } from '../support/module-files.ts';

const CONFIGURATION = { collections: { lab: {} }, tokens: { cora: { lab: 'CURATOR' } } };

const COLLECTION = { name: 'new', schema: LABORATORY, default_token: 'cora', curated: 'new/curated' };
const TOKEN = { name: 'new', user_id: 'new', collections: {} };
const HASH = 'a'.repeat(64);

/** The keys of the settings of a collection. */
/** The types of entries in `auth_sources`. */
const SOURCES = ['config', 'forge', 'forgejo', ...Object.keys(provided(MODULES, 'sources')?.schemas ?? {})]
  .map((type) => JSON.stringify(type))
  .join(', ');
const SETTINGS = Object.keys(settingsSchemaWith(settingKeysOf(MODULES)).properties).join(', ');

const ROWS: readonly BadBodies[] = [
  {
    to: 'POST /-/lab/titles',
    bad: [
      [null, 422, 'body: expected a mapping, found null'],
      [[], 422, 'body: expected a mapping, found a list'],
      [{}, 422, 'body.pids: the key is required'],
      [{ pids: 1 }, 422, 'body.pids: expected a list, found the number 1'],
      [{ pids: ['a', 1] }, 422, 'body.pids.1: expected a string, found the number 1'],
      [{ pids: Array(501).fill('ex:a') }, 422, 'body.pids: expected at most 500 entries, found 501'],
    ],
  },
  {
    to: 'POST /-/lab/read',
    bad: [
      [{}, 422, 'body: expected a list, found a mapping'],
      [[1], 422, 'body.0: expected a string, found the number 1'],
      [
        Array(10_001).fill('ex:a'),
        413,
        'The request has more than 10000 items. Send them in several requests.',
      ],
    ],
  },
  {
    to: 'DELETE /-/lab/curated/records/',
    bad: [
      [null, 422, 'body: expected a list, found null'],
      [{}, 422, 'body: expected a list, found a mapping'],
      [[1], 422, 'body.0: expected a string or a mapping, found the number 1'],
      [[{}], 422, 'body.0.pid: the key is required'],
      [[{ pid: 'a', ifMatch: '*' }], 422, 'body.0.ifMatch: unknown key; expected one of: pid, if_match'],
      // Of a long body, only the first problem is listed.
      [Array(40_000).fill(1), 422, 'body.0: expected a string or a mapping, found the number 1'],
      ['ex:a', 422, 'body: expected a list, found a string'],
      [
        Array(10_001).fill('ex:a'),
        413,
        'The request has more than 10000 items. Send them in several requests.',
      ],
    ],
  },
  {
    to: 'PUT /-/lab/settings',
    bad: [
      [null, 422, 'body: expected a mapping, found null'],
      [[], 422, 'body: expected a mapping, found a list'],
      [{ on_delete: true }, 422, 'body.on_delete: expected one of "warn", "refuse", found true'],
      [{ on_delete: 'ask' }, 422, 'body.on_delete: expected one of "warn", "refuse", found "ask"'],
      [{ color: 1 }, 422, `body.color: unknown key; expected one of: ${SETTINGS}`],
      [
        { on_delete: 1, color: 1 },
        422,
        `body.color: unknown key; expected one of: ${SETTINGS}`,
        'body.on_delete: expected one of "warn", "refuse", found 1',
      ],
    ],
  },
  {
    to: 'POST /maintenance',
    bad: [
      [null, 422, 'body: expected a mapping, found null'],
      [{}, 422, 'body.collection: the key is required', 'body.active: the key is required'],
      [
        { collection: 1, active: 'perhaps' },
        422,
        'body.collection: expected a string, found the number 1',
        'body.active: expected a string like on, found "perhaps"',
      ],
      [{ collection: 'lab' }, 422, 'body.active: the key is required'],
      [
        { collection: 'lab', active: [true] },
        422,
        'body.active: expected true, false, a string or a whole number, found a list',
      ],
      [{ collection: 'lab', active: '' }, 422, 'body.active: expected a string like on, found ""'],
    ],
  },
  {
    to: 'POST /collections',
    token: ADMIN,
    bad: [
      [null, 422, 'body: expected a mapping, found null'],
      [[], 422, 'body: expected a mapping, found a list'],
      [
        {},
        422,
        'body.name: the key is required',
        'body.schema: the key is required',
        'body.default_token: the key is required',
        'body.curated: the key is required',
      ],
      [{ ...COLLECTION, schema: 1 }, 422, 'body.schema: expected a string, found the number 1'],
      [{ ...COLLECTION, schema: '' }, 422, 'body.schema: expected a non-empty string, found ""'],
      [
        { ...COLLECTION, colour: 1 },
        422,
        `body.colour: unknown key; expected one of: ${Object.keys(SCHEMAS.namedCollection.properties).join(', ')}`,
      ],
      [
        { ...COLLECTION, backend: 'paper' },
        422,
        'body.backend.type: expected one of "record_dir+stl", "record_dir", "sqlite", "sqlite+stl", "postgresql", "postgresql+stl", found "paper"',
      ],
      [
        { ...COLLECTION, backend: { type: 'sqlite', path: 1 } },
        422,
        'body.backend.path: unknown key; expected one of: type',
      ],
      [{ ...COLLECTION, use_classes: 'Person' }, 422, 'body.use_classes: expected a list, found a string'],
      [
        { ...COLLECTION, auth_sources: [{ type: 'oracle' }] },
        422,
        `body.auth_sources.0.type: expected one of ${SOURCES}, found "oracle"`,
      ],
      [
        { ...COLLECTION, policy_mapping: 7 },
        422,
        'body.policy_mapping: expected a list or null, found the number 7',
      ],
    ],
  },
  {
    to: 'PUT /collections',
    token: ADMIN,
    bad: [
      [
        {},
        422,
        'body.name: the key is required',
        'body.schema: the key is required',
        'body.default_token: the key is required',
        'body.curated: the key is required',
      ],
      [{ ...COLLECTION, incoming: 1 }, 422, 'body.incoming: expected a string or null, found the number 1'],
    ],
  },
  {
    to: 'PUT /collections/lab',
    token: ADMIN,
    bad: [
      [{ ...COLLECTION, name: 'other' }, 422, 'body.name: expected "lab", the name in the path, or no name'],
      [
        {},
        422,
        'body.schema: the key is required',
        'body.default_token: the key is required',
        'body.curated: the key is required',
      ],
    ],
  },
  {
    to: 'POST /tokens',
    token: ADMIN,
    bad: [
      [null, 422, 'body: expected a mapping, found null'],
      [
        {},
        422,
        'body.name: the key is required',
        'body.user_id: the key is required',
        'body.collections: the key is required',
      ],
      [{ ...TOKEN, user_id: 1 }, 422, 'body.user_id: expected a string, found the number 1'],
      [
        { ...TOKEN, collections: { lab: { mode: 'GOD' } } },
        422,
        'body.collections.lab.mode: expected one of "READ_CURATED", "READ_COLLECTION", "WRITE_COLLECTION", "READ_SUBMISSIONS", "WRITE_SUBMISSIONS", "WRITE_INCOMING", "SUBMIT", "SUBMIT_ONLY", "NOTHING", "CURATOR", found "GOD"',
      ],
      [
        { ...TOKEN, colour: 1 },
        422,
        'body.colour: unknown key; expected one of: name, user_id, collections, hashed, representation, expires, previous, earlier, shared_link',
      ],
      [{ ...TOKEN, representation: 12 }, 422, 'body.representation: expected a string, found a number'],
    ],
  },
  {
    to: 'PUT /tokens/cora',
    token: ADMIN,
    bad: [
      [{ ...TOKEN, name: 'other' }, 422, 'body.name: expected "cora", the name in the path, or no name'],
      [
        { collections: [] },
        422,
        'body.user_id: the key is required',
        'body.collections: expected a mapping, found a list',
      ],
    ],
  },
  {
    to: 'POST /admin_tokens',
    token: ADMIN,
    bad: [
      [null, 422, 'body: expected a mapping, found null'],
      [{}, 422, 'body.name: the key is required', 'body.representation: the key is required'],
      [{ name: 'root', representation: 12 }, 422, 'body.representation: expected a string, found a number'],
      [
        { name: 'root', representation: 'secret' },
        406,
        '`representation`: expected the SHA-256 hash of the token, 64 hexadecimal digits.',
      ],
      [{ name: '', representation: HASH }, 422, 'body.name: expected a non-empty string, found ""'],
      [
        { name: 'root', representation: HASH, more: 1 },
        422,
        'body.more: unknown key; expected one of: name, representation',
      ],
    ],
  },
  {
    to: 'PUT /admin_tokens/root',
    token: ADMIN,
    bad: [
      [
        { name: 'other', representation: HASH },
        422,
        'body.name: expected "root", the name in the path, or no name',
      ],
    ],
  },
  ...(await expectedOfModules<{ bodies: readonly BadBodies[] }>('bodies')).flatMap(
    ([, { bodies }]) => bodies,
  ),
];

test('bad bodies are refused with where, what was expected and what was found', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  for (const { to, token, prepare, bad } of ROWS) {
    await t.test(to, async () => {
      const id = (await prepare?.(service)) ?? '';
      for (const [body, status, ...problems] of bad) {
        const answer = await send(service, to.replace('ID', id), token, body);
        assert.deepEqual(
          [answer.status, ...said(answer.json())],
          [status, ...problems],
          JSON.stringify(body),
        );
      }
    });
  }
});

function send(service: TestService, to: string, token = 'cora', json: unknown) {
  const [method = '', url = ''] = to.split(' ');
  return service.request(method, url, { token, json });
}

/** The problems of a refusal, without the one that only names its code. */
function said({ detail }: { detail: string | { type: string; loc: string[]; msg: string }[] }): string[] {
  if (typeof detail === 'string') return [detail];
  return detail.filter(({ loc }) => loc.length > 0).map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);
}
