/** A clock that was ahead, or is set back: neither hides a change from those who follow, harvest or read former states. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DAY, MINUTE } from '../../src/core/durations.ts';
import { testApp } from '../support/app.ts';
import { person } from '../support/people.ts';

const YEAR = 365 * DAY;

/** On PostgreSQL: with SQLite, a thread with a clock of its own dates the changes. */
async function withClock(t: TestContext) {
  const service = await testApp(t, {
    collections: { c: { default_token: 'guest', backend: { type: 'postgresql' } } },
    tokens: { guest: { c: 'READ_CURATED' }, cleo: { c: 'CURATOR' } },
  });
  const { request } = service;
  const now = Math.floor(Date.now() / 1000) * 1000;
  t.mock.timers.enable({ apis: ['Date'], now });
  const put = async (name: string, label = name) => {
    const json = person(name, { name: label });
    const { status, text } = await request('POST', '/c/curated/record/Person', { token: 'cleo', json });
    assert.equal(status, 200, text);
  };
  const oai = async (query: string) => (await request('GET', `/-/c/oai?metadataPrefix=oai_dc&${query}`)).text;
  const identifiers = async (query: string) =>
    [
      ...(await oai(`verb=ListIdentifiers&${query}`)).matchAll(
        /<header[^>]*><identifier>[^<]*\/id\/([^<]*)</g,
      ),
    ]
      .map(([, name]) => name)
      .join(' ');
  const at = async (time: number) => {
    const url = `/-/c/curated/export?at=${new Date(time).toISOString()}`;
    const { text } = await request('GET', url, { token: 'cleo' });
    return [...text.matchAll(/"pid":"labid:([^"]*)"/g)].map(([, name]) => name).join(' ');
  };
  const time = (milliseconds: number) => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
  return { request, now, put, oai, identifiers, at, time, set: (to: number) => t.mock.timers.setTime(to) };
}

test('a write while the clock was ahead hides no later one', async (t) => {
  const { request, now, put, oai, identifiers, at, time, set } = await withClock(t);
  await put('before');
  set(now + YEAR);
  await put('ahead');
  set(now + 10 * MINUTE);
  await put('new');
  await put('before', 'Renamed');
  set(now + 20 * MINUTE);
  await put('last');
  set(now + 30 * MINUTE);
  assert.equal(await identifiers(''), 'ahead new before last');
  assert.equal(await identifiers(`from=${time(now + 5 * MINUTE)}`), 'ahead new before last');
  assert.equal(await identifiers(`from=${time(now + 15 * MINUTE)}`), 'last');
  assert.equal(
    await identifiers(`from=${time(now + 5 * MINUTE)}&until=${time(now + 15 * MINUTE)}`),
    'ahead new before',
  );
  // A harvester goes on that has the time of a former answer.
  assert.equal(await identifiers(`from=${time(now + YEAR)}`), 'ahead new before last');
  const list = await oai('verb=ListRecords');
  assert.match(list, /Renamed/);
  const dates = [...list.matchAll(/<datestamp>([^<]*)</g)].map(([, date]) => date!);
  assert.equal(dates.at(-1), time(now + 20 * MINUTE));
  assert.ok(dates.every((date) => date <= time(now + 30 * MINUTE)));
  assert.equal(await at(now + 5 * MINUTE), 'before');
  assert.equal(await at(now + 15 * MINUTE), 'ahead before new');
  assert.equal(await at(now + 30 * MINUTE), 'ahead before last new');
  const changes = await request('GET', '/-/c/curated/changes', { token: 'cleo' });
  assert.equal(changes.json<{ items: unknown[] }>().items.length, 5);
  const { problems } = (await request('GET', '/-/health')).json<{ problems?: string[] }>();
  assert.match(String(problems), /the last change is dated 364 days in the future/);
  // The real time passes the false date.
  set(now + 2 * YEAR);
  assert.equal(await identifiers(''), 'ahead new before last');
  assert.equal(await identifiers(`until=${time(now + 5 * MINUTE)}`), '');
  assert.equal(
    await identifiers(`from=${time(now + 5 * MINUTE)}&until=${time(now + 15 * MINUTE)}`),
    'ahead new before',
  );
  assert.equal(await at(now + 15 * MINUTE), 'ahead before new');
  await put('after');
  set(now + 3 * YEAR);
  assert.equal(await at(now + 5 * MINUTE), 'before');
  assert.equal(await at(now + 15 * MINUTE), 'ahead before new');
  assert.equal(await at(now + YEAR + MINUTE), 'ahead before last new');
  assert.equal(await identifiers(`from=${time(now + 15 * MINUTE)}`), 'last after');
  // The change of the wrong clock came before the one behind it.
  const later = [...(await oai('verb=ListIdentifiers')).matchAll(/<datestamp>([^<]*)</g)];
  assert.equal(later[0]![1], time(now + 10 * MINUTE));
  const { text: sitemap } = await request('GET', '/-/c/sitemap.xml?after=0');
  assert.equal([...sitemap.matchAll(/<lastmod>/g)].length, 5);
  assert.ok(!sitemap.includes(time(now + YEAR).slice(0, 10)), sitemap);
});

test('a former state is restored by the time of its entry, also if that is ahead of the clock', async (t) => {
  const { request, now, put, set } = await withClock(t);
  set(now + YEAR);
  await put('a', 'first');
  set(now);
  await put('a', 'second');
  const history = await request('GET', '/-/c/history?pid=labid:a', { token: 'cleo' });
  const [first] = history.json<{ time_stamp: string }[]>();
  const url = `/-/c/history/record?pid=labid:a&at=${encodeURIComponent(first!.time_stamp)}`;
  assert.match((await request('GET', url, { token: 'cleo' })).text, /first/);
});

test('a list that is resumed goes on after the time that it was limited to', async (t) => {
  const { request, now, put, oai, set, time } = await withClock(t);
  set(now + YEAR);
  await put('ahead');
  set(now);
  // A service refuses more requests at once.
  for (let first = 0; first < 120; first += 10)
    await Promise.all(Array.from({ length: 10 }, (_, n) => put(`p${first + n}`)));
  const first = await oai(`verb=ListRecords&until=${time(now)}`);
  assert.equal([...first.matchAll(/<header>/g)].length, 100);
  set(now + MINUTE);
  await put('later');
  const token = /<resumptionToken>([^<]+)</.exec(first)![1]!;
  const { text } = await request('GET', `/-/c/oai?verb=ListRecords&resumptionToken=${token}`);
  assert.equal([...text.matchAll(/<header>/g)].length, 21);
  assert.doesNotMatch(text, /later/);
});

test('changes while the clock is set back have their order', async (t) => {
  const { now, put, identifiers, at, set } = await withClock(t);
  await put('one');
  set(now - YEAR);
  await put('two');
  set(now + MINUTE);
  await put('three');
  assert.equal(await identifiers(''), 'one two three');
  // The second one shows that the first one was made before.
  assert.equal(await at(now - YEAR - MINUTE), '');
  assert.equal(await at(now - YEAR + 1000), 'one two');
  assert.equal(await at(now + 1000), 'one two');
});
