/** Records about the same thing: found by identifiers and titles in a planted set, and called different by curators. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type TestService, testApp } from '../../../test/support/app.ts';
import { BACKENDS } from '../../../test/support/backends.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { person } from '../../../test/support/people.ts';
import { repeated, test } from '../../../test/support/tier.ts';
import { normalizeIdentifier } from './identify.ts';

const SETTINGS = { on_delete: 'warn', identifying_slots: { Person: ['orcid'], Agent: ['email'] } };

async function opened(t: TestContext, people: readonly object[], type = 'sqlite'): Promise<TestService> {
  const service = await testApp(t, {
    collections: { c: { backend: { type } } },
    tokens: { cora: { c: 'CURATOR' }, ann: { c: 'WRITE_COLLECTION' } },
  });
  await service.request('PUT', '/-/c/settings', { token: 'cora', json: SETTINGS });
  const stored = await service.request('POST', '/-/c/curated/records/Person', {
    token: 'cora',
    json: people,
  });
  assert.ok(
    stored.json<{ status: number }[]>().every(({ status }) => status === 200),
    stored.text.slice(0, 500),
  );
  return service;
}

type Pairs = { items: { records: { pid: string }[]; by: string; score: number }[]; total: number };

async function pairs({ request }: TestService): Promise<Pairs> {
  const items: Pairs['items'] = [];
  for (;;) {
    const url = `/-/c/duplicates?limit=1000&offset=${items.length}`;
    const page = (await request('GET', url, { token: 'cora' })).json<Pairs>();
    items.push(...page.items);
    if (items.length >= page.total) return { items, total: page.total };
  }
}

const pidsOf = ({ items }: Pairs) =>
  items.map(({ records }) =>
    records
      .map(({ pid }) => pid)
      .sort()
      .join(' '),
  );

test('identifiers are compared whatever their spelling', () => {
  const same = [
    ['orcid:0000-0002-1825-0097', 'https://orcid.org/0000-0002-1825-0097', '0000000218250097'],
    ['https://ror.org/02nv7yv05', 'ror:02nv7yv05', '02NV7YV05'],
    ['https://doi.org/10.1000/ABC%2Fx', 'doi:10.1000/abc/x', '10.1000/abc/X'],
    ['mailto:Ada@X.org', ' ada@x.org '],
  ];
  for (const spellings of same)
    assert.equal(new Set(spellings.map(normalizeIdentifier)).size, 1, spellings.join());
  assert.notEqual(normalizeIdentifier('doi:10.1000/a'), normalizeIdentifier('doi:10.1000/b'));
});

for (const type of BACKENDS) {
  repeated(
    `${type}: pairs are found by identifier and title, and a pair called different is left out`,
    async (t) => {
      const people = [
        person('a', { name: 'Ada Byron', orcid: 'orcid:0000-0002-1825-0097' }),
        person('b', { name: 'Augusta King', orcid: 'orcid:0000-0002-1825-0097' }),
        person('c', { name: 'Émilie du Châtelet' }),
        person('d', { name: 'du Chatelet, Emilie' }),
        person('e', { name: 'Grace Hopper', email: 'g@x.org' }),
        person('f', { name: 'Grace Hopper', email: 'other@x.org' }),
      ];
      const service = await opened(t, people, type);
      assert.deepEqual(pidsOf(await pairs(service)).sort(), ['labid:a labid:b', 'labid:c labid:d']);
      const judge = (different: boolean) =>
        service.request('PUT', '/-/c/duplicates', {
          token: 'cora',
          json: { pids: ['labid:d', 'labid:c'], different },
        });
      assert.equal((await judge(true)).text, 'true');
      await service.restart();
      assert.deepEqual(pidsOf(await pairs(service)), ['labid:a labid:b']);
      await judge(false);
      assert.equal((await pairs(service)).total, 2);
    },
  );
}

test('many records of one title are as many pairs, not every record with every other one', async (t) => {
  const people = Array.from({ length: 300 }, (_, n) => person(`p${n}`, { name: 'Not yet known' }));
  const { total } = await pairs(await opened(t, people));
  assert.ok(total >= 299 && total < 600, `${total} pairs of 300 records`);
});

test('validating warns of records with the same identifier, for those who may read them', async (t) => {
  const service = await opened(t, [person('a', { email: 'ada@x.org' })]);
  const json = person('new', { email: 'Ada@X.org' });
  const url = '/c/validate/record/Person?hints=true';
  const validate = () => service.request('POST', url, { token: 'ann', json });
  const { text, headers } = await eventually(
    'the identifiers of curated records are known',
    validate,
    (answer) => answer.headers['accession-duplicates'] !== undefined,
  );
  assert.deepEqual([text, headers['accession-duplicates']], ['true', 'labid:a']);
  const other = await service.request('POST', url, { token: 'ann', json: person('x', { email: 'x@x.org' }) });
  assert.equal(other.headers['accession-duplicates'], undefined);
});

test('of 2,000 people, of whom 300 are there twice, all pairs are found and no other one', async (t) => {
  const letters = (n: number) => n.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)]!);
  const nameOf = (n: number) => `Émile ${letters(n + 1000)} Dvořák`;
  const orcidOf = (n: number) => `orcid:0000-0002-1825-${n}`;
  const people = Array.from({ length: 1700 }, (_, n) =>
    person(`p${n}`, { name: nameOf(n), ...(n % 3 === 0 && { orcid: orcidOf(1000 + n) }) }),
  );
  const twins = Array.from({ length: 300 }, (_, at) => {
    const n = at * 5;
    const [first, middle, last] = nameOf(n).split(' ');
    const spellings = [`emile ${middle} dvorak`, `${last?.toUpperCase()}, ${first} ${middle}`];
    // A name that is shortened is found by the identifier.
    if (n % 3 === 0) return person(`q${n}`, { name: `E. ${middle} D.`, orcid: orcidOf(1000 + n) });
    return person(`q${n}`, { name: spellings[at % 2] });
  });
  const service = await opened(t, [...people, ...twins]);
  const expected = twins.map((_, at) => `labid:p${at * 5} labid:q${at * 5}`);
  assert.deepEqual(pidsOf(await pairs(service)).sort(), expected.sort());
});

test('a record that was deleted is not named to a submission', async (t) => {
  const service = await opened(t, [person('ada', { orcid: 'orcid:0000-0002-1825-0097' })]);
  const validate = async () => {
    const json = person('new', { orcid: 'orcid:0000-0002-1825-0097' });
    const answer = await service.request('POST', '/c/validate/record/Person?hints=true', {
      token: 'ann',
      json,
    });
    return answer.headers['accession-duplicates'];
  };
  assert.equal(await eventually('the identifier is known', validate), 'labid:ada');
  await service.request('DELETE', '/c/curated/record?pid=labid:ada', { token: 'cora' });
  assert.equal(await validate(), undefined);
});
