/** A disk that becomes full during each kind of change: it is refused with 507 and nothing of it is made, or it is made wholly. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { ADMIN, type TestAnswer, type TestService, testApp } from '../support/app.ts';
import { giveToServer, ownServer, startPostgresql } from '../support/postgresql.ts';
import { RENAMED } from '../support/schemas.ts';
import { fillDisk, smallDisk } from '../support/small-disk.ts';

const ONE = RENAMED.replaceAll('Human', 'Person')
  .replace('aliases: [Person]', 'aliases: [Human]')
  .replace('email: { required: true, aliases: [mail] }', 'mail: { required: true, aliases: [email] }');
/** Changes need more room than the disk keeps in partly filled pages, also if the database compresses long values. */
const NICK = randomBytes(15_000).toString('base64');
const PEOPLE = 20;

type Operation = {
  readonly name: string;
  /** What has to be there before; what it returns is handed on. */
  prepare?(service: TestService): Promise<string>;
  run(service: TestService, prepared: string): Promise<TestAnswer>;
};

const person = (name: string, more: object = {}) => ({
  pid: `ex:${name}`,
  mail: 'a@x.org',
  nick: NICK,
  ...more,
});
const id = (answer: TestAnswer) => answer.json<{ id: string }>().id;
const cora = { token: 'cora' } as const;

async function done(answer: Promise<TestAnswer>): Promise<TestAnswer> {
  const one = await answer;
  assert.ok(one.status < 300, one.text);
  return one;
}

const store = ({ request }: TestService, json: object) =>
  request('POST', '/c/curated/record/Person', { ...cora, json });
const submit = ({ request }: TestService, name: string) =>
  request('POST', '/c/record/Person', { token: 'ann', json: person(name) });

async function submitted(service: TestService, name: string): Promise<string> {
  await done(submit(service, name));
  const item = await done(service.request('GET', `/-/c/review/item?label=ann&pid=ex:${name}`, cora));
  return item.json<{ digest: string }>().digest;
}

const accept = ({ request }: TestService, name: string, digest: string) =>
  request('POST', '/-/c/review/decisions', {
    ...cora,
    json: { label: 'ann', pid: `ex:${name}`, digest, decision: 'accept' },
  });
const rename = ({ request }: TestService) =>
  request('POST', '/-/c/curated/rename', { ...cora, json: { from: 'ex:hub', to: 'ex:renamed' } });
const merge = ({ request }: TestService) =>
  request('POST', '/-/c/curated/merge', {
    ...cora,
    json: { keep: 'ex:p0', drop: 'ex:p1', take: { '': 'keep' } },
  });

/** Kinds of change, which several endpoints share, with the records that each needs; in an order in which it finds them so. */
const OPERATIONS: readonly Operation[] = [
  { name: 'a store', run: (service) => store(service, person('new')) },
  {
    name: 'an atomic batch',
    run: ({ request }) => {
      const json = Array.from({ length: 50 }, (_, n) => person(`b${n}`));
      return request('POST', '/-/c/curated/records/Person?atomic=true', { ...cora, json });
    },
  },
  { name: 'a submission', run: (service) => submit(service, 'submitted') },
  {
    name: 'a decision',
    prepare: (service) => submitted(service, 'decided'),
    run: (service, digest) => accept(service, 'decided', digest),
  },
  {
    name: 'decisions by a filter',
    async prepare(service) {
      for (let n = 0; n < 10; n++) await done(submit(service, `many${n}`));
      return '';
    },
    run: ({ request }) => {
      const json = { filter: { label: ['ann'], state: ['new'] }, expected: 11, decision: 'accept' };
      return request('POST', '/-/c/review/decisions/by-filter', { ...cora, json });
    },
  },
  {
    name: 'the undo of a decision',
    prepare: async (service) => id(await done(accept(service, 'undone', await submitted(service, 'undone')))),
    run: ({ request }, decision) =>
      request('POST', `/-/c/review/decisions/${decision}/undo`, { ...cora, json: {} }),
  },
  { name: 'a rename', run: rename },
  {
    name: 'the undo of a rename',
    prepare: async ({ request }) =>
      (await request('GET', '/-/c/moves', cora)).json<{ items: { id: string }[] }>().items[0]!.id,
    run: ({ request }, move) => request('POST', `/-/c/moves/${move}/undo`, { ...cora, json: {} }),
  },
  { name: 'a merge', run: merge },
  {
    name: 'a change of the configuration',
    run: ({ request }) => {
      const json = { name: 'big', user_id: NICK.repeat(4), representation: 'big', collections: {} };
      return request('PUT', '/tokens', { token: ADMIN, json });
    },
  },
  {
    name: 'a schema change',
    async prepare({ request, store: root }) {
      const json = { address: join(root, 'two.yaml') };
      return id(await done(request('POST', '/-/c/rehearse', { token: ADMIN, json })));
    },
    run: ({ request }, rehearsal) =>
      request('POST', `/-/c/rehearsals/${rehearsal}/switch`, { token: ADMIN, json: { if_valid: true } }),
  },
];

/** All that clients see of the store. */
async function contents({ request }: TestService): Promise<unknown> {
  const texts: Record<string, unknown> = {};
  for (const url of [
    '/-/c/curated/export',
    '/-/c/incoming/ann/export',
    '/-/c/review/summary',
    '/-/c/review/decisions?size=100',
    '/-/c/moves',
    '/-/c/switches',
  ])
    texts[url] = (await request('GET', url, cora)).text.replace(/"as_of":"[^"]*",?/, '');
  texts.config = (await request('GET', '/tokens', { token: ADMIN })).text;
  return texts;
}

/** Where a store is, and where the disk becomes full. */
type Place = { readonly store: string; readonly filler: string; readonly databaseUrl?: string };

/** @returns undefined if this machine cannot mount a small file system */
async function placeOf(t: TestContext, type: string): Promise<Place | undefined> {
  const disk = smallDisk(t, 64);
  if (disk === undefined) return undefined;
  const filler = join(disk, 'filler');
  if (type !== 'postgresql') return { store: disk, filler };
  const tables = join(disk, 'tables');
  mkdirSync(tables);
  giveToServer(tables);
  const server = await startPostgresql();
  t.after(() => server.close());
  const store = mkdtempSync(join(tmpdir(), 'accession-full-'));
  t.after(() => rmSync(store, { recursive: true, force: true }));
  return { store, filler, databaseUrl: await server.createDatabase(tables) };
}

for (const type of ['sqlite', 'record_dir+stl', 'postgresql']) {
  const skip = type === 'postgresql' && !ownServer && 'the disk of ACCESSION_TEST_DATABASE_URL is not filled';
  test(`${type}: a full disk refuses each kind of change as a whole`, { skip }, async (t) => {
    const place = await placeOf(t, type);
    if (place === undefined) return t.skip('this machine cannot mount a small file system');
    const { filler, ...where } = place;
    const [one, two] = [join(where.store, 'one.yaml'), join(where.store, 'two.yaml')];
    writeFileSync(one, ONE);
    writeFileSync(two, RENAMED);
    const service = await testApp(
      t,
      {
        collections: { c: { schema: one, backend: { type } } },
        tokens: { cora: { c: 'CURATOR' }, ann: { c: 'WRITE_COLLECTION' } },
      },
      { ...where, healthInterval: 0 },
    );
    await done(store(service, person('hub')));
    for (let n = 0; n < PEOPLE; n++)
      await done(store(service, person(`p${n}`, { friend: 'ex:hub', friends: ['ex:p1'] })));
    for (const { name, prepare, run } of OPERATIONS) {
      const prepared = (await prepare?.(service)) ?? '';
      // What the database has room for in its files is used up by the start.
      await service.restart();
      const before = await contents(service);
      fillDisk(filler);
      const refused = await run(service, prepared);
      const outcome = refused
        .json<{ results?: { status: number }[] }>()
        .results?.map(({ status }) => status) ?? [refused.status];
      assert.deepEqual([...new Set(outcome)], [507], `${name}: ${refused.text.slice(0, 500)}`);
      assert.deepEqual(await contents(service), before, `${name} has changed nothing`);
      await service.restart().catch((error) => assert.fail(`${name}: ${error}`));
      assert.deepEqual(await contents(service), before, `${name} has changed nothing after a restart`);
      rmSync(filler);
      const made = await run(service, prepared);
      assert.ok(made.status < 300, `${name}, with room again: ${made.text}`);
      assert.notDeepEqual(await contents(service), before, name);
    }
  });
}
