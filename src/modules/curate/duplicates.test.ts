/** Records about the same thing: found by identifiers and titles in a planted set, and called different by curators. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type TestService, testApp } from '../../../test/support/app.ts';
import { BACKENDS } from '../../../test/support/backends.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { person } from '../../../test/support/people.ts';
import { longTest, repeated, test } from '../../../test/support/tier.ts';
import { findPairs } from './duplicate-pairs.ts';
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

const FIRST =
  'Maria Mario Jan Jana Anna Anne Hanna Peter Petra Carl Carla José Jose Zoë Søren Łukasz Björn Chloé Noël Émile Ivan Ivana Daniel Daniela Paul Paula'.split(
    ' ',
  );
const LAST =
  'Müller Möller Miller Nowak Novak Kowalski Kowalska García Garcia Schmidt Schmid Schmitt Meyer Meier Maier Jensen Jansen Hansen Petersen Peterson Larsson Larsen Dvořák Čapek Øster Åkesson Nguyen Fernández Fischer Fisher Becker Bekker'.split(
    ' ',
  );

/** 1,700 people, of whom 300 are there twice: with a typo or two, without accents, turned around, or by ORCID. */
function planted(): { people: object[]; truth: Set<string> } {
  let state = 20_260_101;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const pick = (list: readonly string[]) => list[random(list.length)] as string;
  const orcid = () => {
    const digits = Array.from({ length: 16 }, () => random(10)).join('');
    return `orcid:${digits.replace(/(.{4})(?=.)/g, '$1-')}`;
  };
  const typo = (name: string) => {
    const at = 1 + random(name.length - 2);
    const letter = 'abcdefghijklmnopqrstuvwxyz'[random(26)];
    const kinds = [
      name.slice(0, at) + name.slice(at + 1),
      name.slice(0, at) + letter + name.slice(at),
      name.slice(0, at) + letter + name.slice(at + 1),
      name.slice(0, at) + (name[at + 1] ?? '') + name[at] + name.slice(at + 2),
    ];
    return kinds[random(4)] as string;
  };
  const plain = (name: string) => name.normalize('NFD').replace(/\p{M}/gu, '');
  const people: object[] = [];
  const truth = new Set<string>();
  const names = new Set<string>();
  for (let n = 0; people.length < 1700; n++) {
    const name = `${pick(FIRST)} ${pick(FIRST)} ${pick(LAST)}`;
    const key = plain(name).toLowerCase().split(' ').sort().join(' ');
    if (names.has(key)) continue;
    names.add(key);
    people.push(person(`p${n}`, { name, ...(random(3) === 0 && { orcid: orcid() }) }));
  }
  for (let n = 0; n < 300; n++) {
    const original = people[n * 5] as { pid: string; name: string; orcid?: string };
    const words = original.name.split(' ');
    const changed = [
      () => plain(original.name),
      () => `${words[2]?.toUpperCase()}, ${words[0]} ${words[1]}`,
      () => original.name.replace(words[2] as string, typo(words[2] as string)),
      () => original.name.replace(words[0] as string, typo(words[0] as string)),
      () => typo(typo(plain(original.name))),
    ][random(5)] as () => string;
    const isById = original.orcid !== undefined && random(2) === 0;
    const name = isById ? `${words[0]?.[0]}. ${words[2]}` : changed();
    people.push(person(`q${n}`, { name, ...(isById && { orcid: original.orcid }) }));
    truth.add([original.pid, `labid:q${n}`].sort().join(' '));
  }
  return { people, truth };
}

longTest(
  'of a planted set of 2,000 with typos and accents, nearly all pairs are found, and hardly any wrong one',
  async (t) => {
    const { people, truth } = planted();
    const service = await opened(t, people);
    const found = pidsOf(await pairs(service));
    const right = found.filter((pair) => truth.has(pair)).length;
    const [precision, recall] = [right / found.length, right / truth.size];
    t.diagnostic(`precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}, ${found.length} pairs`);
    assert.ok(precision >= 0.95, `precision ${precision}`);
    assert.ok(recall >= 0.8, `recall ${recall}`);
  },
);

test('among very many records, equal identifiers and titles are found, and no typos', async (t) => {
  const people = [
    person('a', { name: 'Ada Byron', orcid: 'orcid:0000-0002-1825-0097' }),
    person('b', { name: 'Augusta King', orcid: 'orcid:0000-0002-1825-0097' }),
    ...[person('c', { name: 'Grace Hopper' }), person('d', { name: 'Hopper, Grace' })],
    person('e', { name: 'Grace Hoper' }),
  ];
  const { app } = await opened(t, people);
  const { curated, schema } = app.registry.collection('c');
  for (const [most, count] of [
    [people.length, 4],
    [people.length - 1, 2],
  ] as const) {
    const found = await findPairs({ curated, schema }, SETTINGS.identifying_slots, most);
    assert.deepEqual([found.typos, found.candidates.length], [count === 4, count]);
  }
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
