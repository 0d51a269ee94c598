/**
 * Two instances with one database answer as one process with SQLite: each step is made on one of them, chosen at random, and
 * right after it each read on the other one. Nothing is stale but hints, which follow in the background, and no entity tag is kept over
 * a change.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LABORATORY, type TestAnswer, type TestService, testApp } from '../support/app.ts';
import {
  type AsOne,
  type Chance,
  NAMES,
  pidOf,
  type Read,
  type Request,
  type Step,
  type Write,
  ZONES,
} from '../support/as-one.ts';
import { expectedOfModules } from '../support/module-files.ts';
import { ownDatabase } from '../support/postgresql.ts';
import { randomly } from '../support/randomly.ts';

/** Longer runs set more. */
const STEPS = Number(process.env.ACCESSION_FUZZ_STEPS ?? 15);
const SEED = Number(process.env.ACCESSION_FUZZ_SEED ?? Date.now() % 1e6);

const configuration = (type: string) => ({
  collections: { lab: { schema: LABORATORY, backend: { type } } },
  tokens: {
    nobody: {},
    ann: { lab: 'WRITE_COLLECTION' },
    bea: { lab: 'WRITE_COLLECTION' },
    rea: { lab: 'READ_CURATED' },
    cora: { lab: 'CURATOR' },
  },
});

/** What differs between two runs: times, and ids that are made of them. */
function withoutTimes(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+(\+00:00|Z)/g, 'TIME')
    .replace(/"(revision|next)":\d{16}\b/g, '"$1":TIME')
    .replace(/"0m[0-9a-z]{19}"/g, '"DECISION"')
    .replace(/TIME-[0-9a-f]{8}/g, 'MOVE');
}

/** Without what follows behind the commit: hints, and whether the references of an area are complete. */
function withoutHints(text: string): string {
  return text
    .replace(/"(duplicates|dangling)":\[[^\]]*\]/g, '"$1":HINTS')
    .replace(/"complete":(true|false)/g, '"complete":HINTS');
}

const answerOf = ({ status, text }: TestAnswer) => `${status} ${withoutHints(withoutTimes(inOrder(text)))}`;

/**
 * Records that refer to another one are in any order, and those that a search for words finds in one of relevance: it differs between the
 * databases, and begins with what the index has not followed.
 */
function inOrder(text: string): string {
  const list = text.includes('"referrers"')
    ? 'from'
    : text.includes('"matched":"words"')
      ? 'items'
      : undefined;
  if (!list) return text;
  const answer = JSON.parse(text) as Record<typeof list, { pid: string; path?: string }[]>;
  const key = ({ pid, path }: { pid: string; path?: string }) => `${pid} ${path}`;
  return JSON.stringify({ ...answer, [list]: answer[list].toSorted((a, b) => (key(a) < key(b) ? -1 : 1)) });
}

const OF_MODULES = (await expectedOfModules<AsOne>('as-one')).map(([, expected]) => expected);

const READS: readonly Read[] = [
  ...NAMES.flatMap((name) => [
    { url: `/lab/curated/record?pid=labid:${name}`, token: 'cora' },
    { url: `/lab/record?pid=labid:${name}`, token: 'ann' },
    { url: `/-/lab/history?pid=labid:${name}`, token: 'cora' },
    { url: `/-/lab/links?pid=labid:${name}`, token: 'cora' },
  ]),
  ...['/lab/records/p/', '/lab/records/p/Person?size=2&page=2', '/lab/records/', '/-/lab/export'].flatMap(
    (url) => [
      { url, token: 'ann' },
      { url, token: 'rea' },
    ],
  ),
  { url: '/lab/incoming/', token: 'cora' },
  { url: '/lab/incoming/bea/records/p/', token: 'cora' },
  { url: '/lab/curated/records/p/?matching=%25v1%25', token: 'cora' },
  { url: '/lab/records/p/?matching=%25v2%25', token: 'ann' },
  ...['', '&sort=name'].map((sort) => ({ url: `/-/lab/search?q=v1${sort}`, token: 'ann' })),
  { url: '/-/lab/settings', token: 'cora' },
  { url: '/-/lab/zone/history', token: 'ann' },
  ...OF_MODULES.flatMap(({ reads }) => reads),
];

function person({ one, below }: Chance) {
  const name = one(NAMES);
  const more = {
    given_name: `v${below(3)}`,
    ...(below(4) === 0 && { affiliations: [`labid:${one(NAMES)}`] }),
  };
  return { pid: `labid:${name}`, name, family_name: name, ...more };
}

const WRITES: readonly Write[] = [
  ...Array<Write>(5).fill((chance) => ({
    method: 'POST',
    url: '/lab/record/Person',
    token: chance.one(ZONES),
    json: person(chance),
  })),
  ...Array<Write>(3).fill((chance) => ({
    method: 'POST',
    url: '/lab/curated/record/Person',
    token: 'cora',
    json: person(chance),
  })),
  (chance) => ({
    method: 'POST',
    url: '/-/lab/records/Person',
    token: chance.one(ZONES),
    json: [person(chance), person(chance)],
  }),
  (chance) => ({
    method: 'POST',
    url: '/lab/incoming/bea/record/Person',
    token: 'cora',
    json: person(chance),
  }),
  (chance) => ({ method: 'DELETE', url: `/lab/record?pid=${pidOf(chance)}`, token: chance.one(ZONES) }),
  ...['/lab/curated/record', '/lab/incoming/bea/record'].map(
    (url): Write =>
      (chance) => ({ method: 'DELETE', url: `${url}?pid=${pidOf(chance)}`, token: 'cora' }),
  ),
  ({ one }) => ({
    method: 'PUT',
    url: '/-/lab/settings',
    token: 'cora',
    json: { on_delete: one(['warn', 'refuse']) },
  }),
  ...OF_MODULES.flatMap(({ writes = [] }) => writes),
];

const write: Step = async (chance, { both }) => {
  const request = chance.one(WRITES)(chance);
  await both(request);
  return `${request.method} ${request.url}`;
};
/** Most steps are single writes. */
const STEPS_OF_ALL: readonly Step[] = [
  write,
  write,
  write,
  write,
  ...OF_MODULES.flatMap(({ steps = [] }) => steps),
];

test('two instances with PostgreSQL answer as one process with SQLite, at once after each write', async (t) => {
  const below = randomly(SEED);
  const chance: Chance = { below, one: (all) => all[below(all.length)]! };
  const options = { databaseUrl: await ownDatabase() };
  const first = await testApp(t, configuration('postgresql+stl'), options);
  const services = [first, await testApp(t, {}, options)];
  const oracle = await testApp(t, configuration('sqlite+stl'));
  /** By instance and read: the entity tag of the last answer, with the answer. */
  const tags = services.map(() => new Map<string, { tag: string; answer: string }>());

  /** Sends the same to an instance and to the oracle. */
  async function both({ method, url, token, json }: Request, service: TestService): Promise<TestAnswer> {
    const options = { token, ...(json !== undefined && { json }) };
    const answer = await service.request(method, url, options);
    const expected = await oracle.request(method, url, options);
    assert.equal(answerOf(answer), answerOf(expected), `${method} ${url} ${JSON.stringify(json)}`);
    return answer;
  }

  /** Asks an instance and the oracle, with what each of them has for itself. */
  async function alike(
    ask: (service: TestService) => Promise<TestAnswer | undefined>,
    service: TestService,
  ): Promise<string> {
    const asked = async (one: TestService) => {
      const answer = await ask(one);
      return answer ? answerOf(answer) : 'nothing';
    };
    const [answer, expected] = await Promise.all([asked(service), asked(oracle)]);
    assert.equal(answer, expected);
    return answer;
  }

  async function read(at: number, { url, token }: Read, after: string): Promise<void> {
    const service = services[at] as TestService;
    const expected = answerOf(await oracle.request('GET', url, { token }));
    const known = tags[at]?.get(`${token} ${url}`);
    if (known) {
      const headers = { 'if-none-match': known.tag };
      const { status } = await service.request('GET', url, { token, headers });
      if (status === 304) assert.equal(known.answer, expected, `304 for ${url} after ${after}`);
    }
    const answer = await service.request('GET', url, { token });
    assert.equal(answerOf(answer), expected, `${url} on instance ${at} after ${after}`);
    const { etag } = answer.headers;
    if (etag && answer.status === 200) tags[at]?.set(`${token} ${url}`, { tag: etag, answer: expected });
  }

  for (let step = 0; step < STEPS; step++) {
    const at = below(2);
    const service = services[at] as TestService;
    const made = await chance.one(STEPS_OF_ALL)(chance, {
      both: (request) => both(request, service),
      alike: (ask) => alike(ask, service),
    });
    // The other one first: it has to see what the first one has acknowledged.
    const reads = STEPS > 100 ? READS : READS.filter(() => below(2) === 0);
    for (const request of reads)
      await read(below(4) === 0 ? at : 1 - at, request, `step ${step} of seed ${SEED}: ${made}`);
  }
});
