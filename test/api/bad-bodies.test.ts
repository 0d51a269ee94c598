/** What each endpoint with a JSON body says of bodies that do not have its form: where, what was expected, what was found. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Numeral } from '#linkml/json.ts';
import { ADMIN, LABORATORY, type TestService, testApp } from '../support/app.ts';
import { SCHEMAS } from '../support/configuration-schemas.ts';

const CONFIGURATION = { collections: { lab: {} }, tokens: { cora: { lab: 'CURATOR' } } };

/** A body, the status, and each problem as `location: message`; a refusal without problems has its sentence alone. */
type Bad = readonly [body: unknown, status: number, ...problems: string[]];
type Row = { readonly to: string; readonly token?: string; readonly bad: readonly Bad[] };

const DECISION = { label: 'ann', pid: 'labid:ada', digest: 'sha256:0', decision: 'accept' };
const SELECTION = { filter: {}, expected: 0, decision: 'accept' };
const COLLECTION = { name: 'new', schema: LABORATORY, default_token: 'cora', curated: 'new/curated' };
const TOKEN = { name: 'new', user_id: 'new', collections: {} };
const HASH = 'a'.repeat(64);

const ROWS: readonly Row[] = [
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
    to: 'DELETE /-/lab/curated/records/',
    bad: [
      [null, 422, 'body: expected a list, found null'],
      [{}, 422, 'body: expected a list, found a mapping'],
      [[1], 422, 'body.0: expected a string, found the number 1'],
      // Of a long body, only the first problem is listed.
      [Array(40_000).fill(1), 422, 'body.0: expected a string, found the number 1'],
      ['ex:a', 422, 'body: expected a list, found a string'],
      [
        Array(10_001).fill('ex:a'),
        413,
        'The request has more than 10000 items. Send them in several requests.',
      ],
    ],
  },
  {
    to: 'POST /-/lab/curated/rename',
    bad: [
      [null, 422, 'body: expected a mapping, found null'],
      [[], 422, 'body: expected a mapping, found a list'],
      [{}, 422, 'body.from: the key is required', 'body.to: the key is required'],
      [{ from: 'ex:a' }, 422, 'body.to: the key is required'],
      [{ from: 1, to: 'ex:b' }, 422, 'body.from: expected a string, found the number 1'],
    ],
  },
  {
    to: 'POST /-/lab/curated/merge',
    bad: [
      [null, 422, 'body: expected a mapping, found null'],
      [{}, 422, 'body.keep: the key is required', 'body.drop: the key is required'],
      [{ keep: 'ex:a' }, 422, 'body.drop: the key is required'],
      [{ keep: 'ex:a', drop: null }, 422, 'body.drop: expected a string, found null'],
      [{ keep: 'ex:a', drop: 'ex:b', take: [] }, 422, 'body.take: expected a mapping or null, found a list'],
      [
        { keep: 'ex:a', drop: 'ex:b', take: { '/name': 'both' } },
        422,
        'body.take./name: expected one of "keep", "drop", found "both"',
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
      [{ color: 1 }, 422, 'body.color: unknown key; expected one of: on_delete, identifying_slots, publish'],
      [{ identifying_slots: [] }, 422, 'body.identifying_slots: expected a mapping, found a list'],
      [
        { identifying_slots: { Person: 'name' } },
        422,
        'body.identifying_slots.Person: expected a list, found a string',
      ],
      [
        { identifying_slots: { Person: [1] } },
        422,
        'body.identifying_slots.Person.0: expected a string, found the number 1',
      ],
      [
        { identifying_slots: { Person: ['nmae'] } },
        422,
        "body.identifying_slots.Person.0: expected a slot of the class Person, found 'nmae'",
      ],
      [
        { identifying_slots: { Persn: ['name'] } },
        422,
        "body.identifying_slots.Persn: the schema has no class 'Persn'",
      ],
      [
        { on_delete: 1, color: 1, identifying_slots: { Persn: ['name'] } },
        422,
        'body.color: unknown key; expected one of: on_delete, identifying_slots, publish',
        'body.on_delete: expected one of "warn", "refuse", found 1',
      ],
    ],
  },
  {
    to: 'PUT /-/lab/duplicates',
    bad: [
      [null, 422, 'body: expected a mapping, found null'],
      [{}, 422, 'body.pids: the key is required', 'body.different: the key is required'],
      [{ pids: ['a'], different: true }, 422, 'body.pids: expected at least 2 entries, found 1'],
      [{ pids: ['a', 1], different: true }, 422, 'body.pids.1: expected a string, found the number 1'],
      [{ pids: ['a', 'b'] }, 422, 'body.different: the key is required'],
      [{ pids: ['a', 'b'], different: 'yes' }, 422, 'body.different: expected true or false, found a string'],
    ],
  },
  {
    to: 'POST /-/lab/rehearse',
    bad: [
      [null, 422, 'body: expected a mapping, found null'],
      [{}, 422, 'body: expected either schema or address or vocabularies, found none of them'],
      [{ schema: 1 }, 422, 'body.schema: expected a string, found the number 1'],
      [
        { schema: 'id: x', address: 'y' },
        422,
        'body: expected either schema or address or vocabularies, found schema and address',
      ],
      [{ address: true }, 422, 'body.address: expected a string, found the boolean true'],
    ],
  },
  {
    to: 'POST /-/lab/rehearsals/ID/switch',
    token: ADMIN,
    bad: [
      [{ patches: 'all' }, 422, 'body.patches: expected true, false or a list, found a string'],
      [{ patches: [1] }, 422, 'body.patches.0: expected a string, found the number 1'],
      [{ if_valid: 'yes' }, 422, 'body.if_valid: expected true or false, found a string'],
      [
        { patches: 1, if_valid: 1 },
        422,
        'body.patches: expected true, false or a list, found the number 1',
        'body.if_valid: expected true or false, found the number 1',
      ],
    ],
  },
  {
    to: 'POST /-/lab/review/decisions',
    bad: [
      [null, 422, 'body: expected a mapping or a list, found null'],
      ['accept', 422, 'body: expected a mapping or a list, found a string'],
      [
        {},
        422,
        'body.label: the key is required',
        'body.pid: the key is required',
        'body.digest: the key is required',
        'body.decision: the key is required',
      ],
      [[], 422, 'body: expected at least 1 entry, found 0'],
      [[null], 422, 'body.0: expected a mapping, found null'],
      [
        [{ ...DECISION, why: 1 }],
        422,
        'body.0.why: unknown key; expected one of: label, pid, digest, decision, reason, until, overturn, record, take, if_curated, with_references',
      ],
      [Array(1001).fill(DECISION), 422, 'body: expected at most 1000 entries, found 1001'],
      [
        { ...DECISION, why: 1 },
        422,
        'body.why: unknown key; expected one of: label, pid, digest, decision, reason, until, overturn, record, take, if_curated, with_references',
      ],
      [
        { ...DECISION, decision: 'maybe' },
        422,
        'body.decision: expected one of "accept", "reject", "defer", found "maybe"',
      ],
      [{ ...DECISION, label: '' }, 422, 'body.label: expected a non-empty string, found ""'],
      [{ ...DECISION, pid: 1 }, 422, 'body.pid: expected a string, found the number 1'],
      [
        { ...DECISION, decision: 'reject' },
        422,
        'body.reason: missing. The submitter is shown why a submission is rejected',
      ],
      [
        { ...DECISION, decision: 'reject', reason: ' ' },
        422,
        'body.reason: missing. The submitter is shown why a submission is rejected',
      ],
      [
        { ...DECISION, reason: 'x'.repeat(4001) },
        422,
        'body.reason: expected at most 4000 characters, found 4001',
      ],
      [{ ...DECISION, until: '2100-01-01T00:00:00Z' }, 422, 'body.until: applies to defer only'],
      [
        { ...DECISION, decision: 'defer', until: 'soon' },
        422,
        "body.until: expected a date and time in the future (ISO 8601), found 'soon'",
      ],
      [
        { ...DECISION, decision: 'defer', until: '2001-01-01T00:00:00Z' },
        422,
        "body.until: expected a date and time in the future (ISO 8601), found '2001-01-01T00:00:00Z'",
      ],
      [{ ...DECISION, overturn: 'yes' }, 422, 'body.overturn: expected true, false or null, found a string'],
      [
        { ...DECISION, record: new Numeral('1.0'), if_curated: null },
        422,
        'body.record: expected a mapping or null, found the number 1',
      ],
      [
        { ...DECISION, record: [], if_curated: null },
        422,
        'body.record: expected a mapping or null, found a list',
      ],
      [
        { ...DECISION, record: {}, take: {}, if_curated: null },
        422,
        'body.take: cannot be used together with record. Send one of them',
      ],
      [
        { ...DECISION, take: {} },
        422,
        'body.if_curated: missing. With record or take, send the curated_etag of the row, or null',
      ],
      [
        { ...DECISION, take: { '/name': 'mine' }, if_curated: null },
        422,
        'body.take./name: expected one of "submitted", "curated", "base", found "mine"',
      ],
      [{ ...DECISION, if_curated: 1 }, 422, 'body.if_curated: expected a string or null, found the number 1'],
      [
        { ...DECISION, with_references: {} },
        422,
        'body.with_references: expected a list or null, found a mapping',
      ],
      [
        { ...DECISION, with_references: [{ pid: 'labid:b' }, 1] },
        422,
        'body.with_references.0.digest: the key is required',
        'body.with_references.1: expected a mapping, found the number 1',
      ],
      [
        { ...DECISION, with_references: [{ pid: 'labid:b', digest: 'd', more: 1 }] },
        422,
        'body.with_references.0.more: unknown key; expected one of: pid, digest',
      ],
      [
        { ...DECISION, decision: 'defer', take: {}, if_curated: null },
        422,
        'body.take: applies to accept only',
        'body.if_curated: applies to accept only',
      ],
    ],
  },
  {
    to: 'POST /-/lab/review/decisions/by-filter',
    bad: [
      [null, 422, 'body: expected a mapping, found null'],
      [[], 422, 'body: expected a mapping, found a list'],
      [{}, 422, 'body.expected: the key is required', 'body.decision: the key is required'],
      [{ ...SELECTION, expected: 'all' }, 422, 'body.expected: expected a whole number, found a string'],
      [{ ...SELECTION, expected: -1 }, 422, 'body.expected: expected at least 0, found -1'],
      [{ ...SELECTION, expected: 1.5 }, 422, 'body.expected: expected a whole number, found the number 1.5'],
      [{ ...SELECTION, filter: [] }, 422, 'body.filter: expected a mapping or null, found a list'],
      [
        { ...SELECTION, filter: { colour: 1 } },
        422,
        'body.filter.colour: unknown key; expected one of: label, pid, class, state, standing, submitter, batch, requested, valid, matching, q',
      ],
      [
        { ...SELECTION, filter: { state: 'odd' } },
        422,
        'body.filter.state: expected one of "same", "new", "changed", "diverged", found "odd"',
      ],
      [
        { ...SELECTION, filter: { label: [1] } },
        422,
        'body.filter.label.0: expected a string, found the number 1',
      ],
      [{ ...SELECTION, filter: { label: [] } }, 422, 'body.filter.label: expected at least 1 entry, found 0'],
      [
        { ...SELECTION, filter: { batch: 1 } },
        422,
        'body.filter.batch: expected a string or null, found the number 1',
      ],
      [
        { ...SELECTION, filter: { valid: 'yes' } },
        422,
        'body.filter.valid: expected true, false or null, found a string',
      ],
      [
        { ...SELECTION, as_of: 'now' },
        422,
        'body.as_of: expected a string like 2026-05-01T12:00:00.000000+00:00, found "now"',
      ],
      [
        { ...SELECTION, as_of: '2026-05-01T12:00:00.000000Z' },
        422,
        'body.as_of: expected a string like 2026-05-01T12:00:00.000000+00:00, found "2026-05-01T12:00:00.000000Z"',
      ],
      [
        { ...SELECTION, as_of: '2026-05-01T12:00:00.000000-12:00' },
        422,
        'body.as_of: expected a string like 2026-05-01T12:00:00.000000+00:00, found "2026-05-01T12:00:00.000000-12:00"',
      ],
      [{ ...SELECTION, after: 1 }, 422, 'body.after: expected a string or null, found the number 1'],
      [{ ...SELECTION, after: 'page 2' }, 422, 'after: expected the value of next on a former page'],
      [
        { ...SELECTION, decision: 'reject' },
        422,
        'body.reason: missing. The submitter is shown why a submission is rejected',
      ],
      [
        { ...SELECTION, more: 1 },
        422,
        'body.more: unknown key; expected one of: expected, decision, filter, as_of, after, reason, until, overturn',
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
        'body.backend.type: expected one of "record_dir+stl", "record_dir", "sqlite", "sqlite+stl", "postgresql", "postgresql+stl"',
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
        'body.auth_sources.0.type: expected one of "config", "forge", "forgejo"',
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
        'body.colour: unknown key; expected one of: name, user_id, collections, hashed, representation, expires, previous',
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
];

test('bad bodies are refused with where, what was expected and what was found', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const id = await dryRun(service);
  for (const { to, token, bad } of ROWS) {
    await t.test(to, async () => {
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

/** The id of a dry run, to send bad choices to. */
async function dryRun(service: TestService): Promise<string> {
  const json = { address: LABORATORY };
  const answer = await service.request('POST', '/-/lab/rehearse', { token: ADMIN, json });
  return answer.json<{ id: string }>().id;
}
