/** Search by words and by values of slots, on every backend and in every area. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BACKENDS } from '../../src/core/config/backends.ts';
import { sharedApp } from '../support/app.ts';
import { organization, person } from '../support/people.ts';

type Page = { items: { pid: string }[]; total: number; pages: number; complete: boolean };

/** Each has a collection, which is named for it. */
const TYPES = Object.keys(BACKENDS).filter((type) => /^(record_dir|sqlite)/.test(type));
const onEach = (mode: string) => Object.fromEntries(TYPES.map((type) => [type.replace('+', '-'), mode]));

/** A service without records, which the tests share. */
const emptyService = sharedApp({
  collections: Object.fromEntries(TYPES.map((type) => [type.replace('+', '-'), { backend: { type } }])),
  tokens: { ann: onEach('WRITE_COLLECTION'), curator: onEach('CURATOR') },
});

for (const c of Object.keys(onEach(''))) {
  test(`${c}: words are found in any order and value, without case and accents`, async () => {
    const { request } = await emptyService();
    const people = [
      person('a', { given_name: 'Jürgen', family_name: 'Müller' }),
      person('b', { given_name: 'Ann', family_name: 'Muller' }),
      person('c', { given_name: 'Zoë', family_name: 'Weiß' }),
    ];
    await request('POST', `/-/${c}/curated/records/Person`, { token: 'curator', json: people });
    await request('POST', `/-/${c}/curated/records/Organization`, {
      token: 'curator',
      json: [organization('o')],
    });
    await request('POST', `/${c}/record/Person`, { token: 'ann', json: person('c', { given_name: 'Own' }) });
    const found = async (query: string, area = c, token = 'ann') => {
      const answer = await request('GET', `/-/${area}/search?${query}`, { token });
      assert.equal(answer.status, 200, answer.text);
      const page = answer.json<Page>();
      assert.equal(page.complete, true);
      const names = page.items.map(({ pid }) => pid.replace('labid:', ''));
      return (query.startsWith('q=') ? names.sort() : names).join('');
    };
    assert.equal(await found('q=MULLER'), 'ab');
    assert.equal(await found('q=muller+jurgen'), 'a');
    assert.equal(await found('q=m%C3%9Cller%20ANN'), 'b');
    assert.equal(await found('q=given_name'), '', 'names of slots are not values');
    assert.equal(await found('family_name=m%C3%BCller'), 'ab');
    assert.equal(await found('pid=https://example.org/laboratory/id/a'), await found('pid=labid:a'));
    assert.equal(await found('q=weiss'), '');
    assert.equal(await found('q=weiss', `${c}/curated`, 'curator'), 'c');
    assert.equal(await found('q=own', `${c}/incoming/ann`, 'curator'), 'c');
    assert.equal(await found('class=Person&sort=given_name'), 'bac');
    assert.equal(await found('class=Person&sort=-given_name'), 'cab');
    assert.equal(await found('sort=-pid&class=Person'), 'cba');
    const page = (
      await request('GET', `/-/${c}/search?class=Person&size=2&page=2`, { token: 'ann' })
    ).json<Page>();
    assert.deepEqual([page.total, page.pages, page.items.length], [3, 2, 1]);
  });
}

test('slots are searched for texts, ranges, and values at all', async () => {
  const { request } = await emptyService();
  for (const c of ['sqlite-stl', 'record_dir-stl']) {
    const people = [
      person('a', { given_name: 'Ann-Marie', family_name: '19' }),
      person('b', { given_name: 'Marianne', family_name: '110' }),
      person('c', { given_name: 'Zoë', family_name: '2024-05-06' }),
      person('d', { family_name: '2025-01-01' }),
    ];
    for (const one of people)
      await request('POST', `/${c}/curated/record/Person`, { token: 'curator', json: one });
    const found = async (query: string) => {
      const answer = await request('GET', `/-/${c}/curated/search?${query}`, { token: 'curator' });
      assert.equal(answer.status, 200, answer.text);
      return answer
        .json<Page>()
        .items.map(({ pid }) => pid.replace('labid:', ''))
        .join('');
    };
    assert.equal(await found('given_name.contains=MARI'), 'ab', c);
    assert.equal(await found('given_name.contains=mari&family_name.contains=11'), 'b');
    assert.equal(
      await found('family_name.from=19&family_name.to=110'),
      'ab',
      'numbers are compared as numbers',
    );
    assert.equal(await found('family_name.from=2024-05-07'), 'd');
    assert.equal(await found('family_name.from=2024-01&family_name.to=2024'), 'c', 'a year has its days');
    assert.equal(await found('given_name.filled=false'), 'd');
    assert.equal(await found('given_name.filled=true'), 'abc');
    assert.equal(await found('given_name.contains='), 'abc');
    assert.equal(await found('family_name=19&family_name=2025-01-01'), 'ad', 'one of several values');
    assert.equal(await found('given_name.contains=zo&given_name.contains=ann&family_name.to=19'), 'a');
    assert.equal(await found('family_name=19&q=mari&family_name=110&given_name=Marianne'), 'b');
    assert.equal(await found('or1.given_name=zoe&or1.family_name.from=2025'), 'cd', 'one of a group');
    assert.equal(await found('or1.given_name=zoe&or1.given_name=marianne&or1.family_name=19'), 'abc');
    assert.equal(await found('given_name.filled=true&or1.family_name.to=19&or1.family_name.from=2024'), 'ac');
    assert.equal(
      await found(
        'or1.family_name=19&or1.family_name.from=2025&or2.given_name.contains=ann&or2.given_name=zoe',
      ),
      'a',
      'one of each group',
    );
    assert.equal(await found('or1.given_name.contains=ann&or2.given_name.contains=mari'), 'ab');
    assert.equal(await found('q=mari&or3.family_name=19'), 'a', 'a group of one');
    for (const name of [
      'or0.given_name',
      'or10.given_name',
      'or1.nothing',
      'or1.given_name.other',
      'or1.q',
    ]) {
      const other = await request('GET', `/-/${c}/curated/search?${name}=a`, { token: 'curator' });
      assert.equal(other.status, 422, name);
      assert.ok(other.text.includes(`The query parameter '${name}' is unknown`), other.text);
    }
    const values = Array.from({ length: 33 }, (_, n) => `given_name=v${n}`).join('&');
    const tooMany = await request('GET', `/-/${c}/curated/search?${values}`, { token: 'curator' });
    assert.equal(tooMany.status, 422);
    assert.match(tooMany.text, /at most 32 different values/);
    assert.equal(await found(`${values.replaceAll(/v\d+/g, 'zoe')}`), 'c', 'the same value counts once');
    const refused = await request('GET', `/-/${c}/curated/search?given_name.filled=maybe`, {
      token: 'curator',
    });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /given_name\.filled/);
    const unknown = await request('GET', `/-/${c}/curated/search?given_name.other=x`, { token: 'curator' });
    assert.equal(unknown.status, 422);
  }
});

test('facets count the values of slots in all that is found', async () => {
  const { request } = await emptyService();
  const c = 'sqlite';
  const stored = async (path: string, token: string, pid: string, fields: object) =>
    request('POST', `/${path}/record/Person`, { token, json: person(pid, fields) });
  await stored(`${c}/curated`, 'curator', 'f1', { family_name: 'Fa', affiliations: ['labid:x', 'labid:y'] });
  await stored(`${c}/curated`, 'curator', 'f2', {
    family_name: 'fä',
    affiliations: ['https://example.org/laboratory/id/x'],
  });
  await stored(`${c}/curated`, 'curator', 'f3', { family_name: 'Fo', affiliations: ['labid:x'] });
  await stored(c, 'ann', 'f3', { family_name: 'Fa', affiliations: ['labid:z'] });
  const facets = async (query: string, area = c, token = 'ann') => {
    const answer = await request(
      'GET',
      `/-/${area}/search?or1.family_name=fa&or1.family_name=fo&size=1&${query}`,
      { token },
    );
    assert.equal(answer.status, 200, answer.text);
    const { facets, total, items } = answer.json<Page & { facets: object }>();
    return [total, items.length, facets];
  };
  assert.deepEqual(await facets('facet=family_name&facet=affiliations'), [
    ...[3, 1],
    {
      family_name: [{ value: 'Fa', count: 3 }],
      affiliations: [
        { value: 'labid:x', count: 2 },
        { value: 'labid:y', count: 1 },
        { value: 'labid:z', count: 1 },
      ],
    },
  ]);
  const curated = await facets('facet=affiliations', `${c}/curated`, 'curator');
  assert.deepEqual(curated[2], {
    affiliations: [
      { value: 'labid:x', count: 3 },
      { value: 'labid:y', count: 1 },
    ],
  });
  assert.deepEqual((await facets('q=fo&facet=family_name', `${c}/curated`, 'curator'))[2], {
    family_name: [{ value: 'Fo', count: 1 }],
  });
  const among = async (query: string) => {
    const asked = `facet=family_name&facet=affiliations&alternatives=true&${query}`;
    return (await facets(asked, `${c}/curated`, 'curator')).slice(0, 3);
  };
  assert.deepEqual(
    await among('family_name=fo&affiliations=labid:x'),
    [
      ...[1, 1],
      {
        family_name: [
          { value: 'Fa', count: 2 },
          { value: 'Fo', count: 1 },
        ],
        affiliations: [{ value: 'labid:x', count: 1 }],
      },
    ],
    'each facet is within what other slots are asked for',
  );
  assert.deepEqual(
    await among('q=abi&family_name=fo'),
    await among('family_name=fo'),
    'of parts of words, too',
  );
  for (const query of ['facet=nothing', 'facet=q', `facet=${'x'.repeat(2000)}`]) {
    const refused = await request('GET', `/-/${c}/search?${query}`, { token: 'ann' });
    assert.equal(refused.status, 422, query);
  }
});

test('a facet has the values of most records, and with alternatives also those that are asked for', async () => {
  const { request } = await emptyService();
  const names = Array.from({ length: 200 }, (_, i) => `Name ${100 + (i % 100)}`);
  const people = [...names, 'Rare', 'Single'].map((name, i) => person(`p${i}`, { family_name: name }));
  await request('POST', '/-/sqlite/curated/records/Person', { token: 'curator', json: people });
  const values = async (query: string) => {
    const path = `/-/sqlite/curated/search?facet=family_name&size=1${query}`;
    const { facets } = (await request('GET', path, { token: 'curator' })).json<{
      facets: { family_name: { value: string; count: number }[] };
    }>();
    return facets.family_name;
  };
  const most = await values('');
  assert.equal(most.length, 100);
  assert.ok(most.every(({ count }) => count === 2));
  const asked = await values('&alternatives=true&family_name=rare&family_name=none&family_name=Name%20100');
  assert.deepEqual(asked, [...most, { value: 'Rare', count: 1 }]);
});

test('a search for words counts all matches, and one for parts as many as it is asked to', async () => {
  const { request } = await emptyService();
  const people = Array.from({ length: 20 }, (_, i) => person(`p${10 + i}`, { family_name: 'Lin' }));
  await request('POST', '/-/sqlite/curated/records/Person', { token: 'curator', json: people });
  const found = async (query: string) => {
    const page = (
      await request('GET', `/-/sqlite/curated/search?size=3&${query}`, { token: 'curator' })
    ).json<Page>();
    return [page.total, page.complete, page.items.map(({ pid }) => pid.replace('labid:p', '')).join(' ')];
  };
  assert.deepEqual(await found('q=lin&count=5'), [20, true, '10 11 12']);
  assert.deepEqual(await found('q=lin&page=6'), [20, true, '25 26 27']);
  assert.deepEqual(await found('q=in&count=5'), [5, false, '10 11 12']);
  assert.deepEqual(await found('q=in&count=5&page=4'), [14, false, '19 20 21']);
  assert.deepEqual(await found('q=in&count=5&page=6'), [20, true, '25 26 27']);
  assert.deepEqual(await found('q=in'), [20, true, '10 11 12']);
  assert.deepEqual(await found('q=in&count=5&sort=-pid'), [20, true, '29 28 27'], 'others are sorted first');
  assert.deepEqual(await found('q=lin&sort=-pid'), [20, true, '29 28 27']);
});

test('a word that only the class of a record has does not find it', async () => {
  const { request } = await emptyService();
  for (const c of ['sqlite', 'sqlite-stl']) {
    await request('POST', `/-/${c}/curated/records/Person`, { token: 'curator', json: [person('a')] });
    const found = await request('GET', `/-/${c}/curated/search?q=person`, { token: 'curator' });
    assert.equal(found.json<Page>().total, 0, c);
  }
});

test('a search refuses what is neither a parameter nor a slot, and a class that does not exist', async () => {
  const { request } = await emptyService();
  assert.equal((await request('GET', '/-/sqlite/search?query=x', { token: 'ann' })).status, 422);
  assert.equal((await request('GET', '/-/sqlite/search?sort=nothing', { token: 'ann' })).status, 422);
  assert.equal((await request('GET', '/-/sqlite/search?class=Nothing', { token: 'ann' })).status, 404);
  assert.equal((await request('GET', '/-/sqlite/curated/search', { token: 'ann' })).status, 403);
});

test('a search has at most 32 words, unless one part of them is a DOI or a title', async () => {
  const { request } = await emptyService();
  const ask = async (words: number, more = '') => {
    const q = Array.from({ length: words }, (_, n) => `w${n}`).join(' ') + more;
    return (await request('GET', `/-/sqlite/search?${new URLSearchParams({ q })}`, { token: 'ann' })).status;
  };
  assert.deepEqual([await ask(32), await ask(33)], [200, 422]);
  assert.deepEqual([await ask(33, ' 10.5281/zenodo.777'), await ask(33, '. Of mice and men.')], [200, 200]);
  assert.equal(await ask(33, `. ${'word other '.repeat(70)}`), 422);
});
