/** A clock that was ahead, or is set back: neither hides a change from those who harvest. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { withClock, YEAR } from '../../../../test/support/clock.ts';
import { MINUTE } from '../../../core/durations.ts';

async function harvested(t: TestContext) {
  const service = await withClock(t);
  const { request } = service;
  const oai = async (query: string) => (await request('GET', `/-/c/oai?metadataPrefix=oai_dc&${query}`)).text;
  const identifiers = async (query: string) =>
    [
      ...(await oai(`verb=ListIdentifiers&${query}`)).matchAll(
        /<header[^>]*><identifier>[^<]*\/id\/([^<]*)</g,
      ),
    ]
      .map(([, name]) => name)
      .join(' ');
  const time = (milliseconds: number) => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
  return { ...service, oai, identifiers, time };
}

test('a write while the clock was ahead hides no later one from harvesters', async (t) => {
  const { request, now, put, oai, identifiers, time, set } = await harvested(t);
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
  // The real time passes the false date.
  set(now + 2 * YEAR);
  assert.equal(await identifiers(''), 'ahead new before last');
  assert.equal(await identifiers(`until=${time(now + 5 * MINUTE)}`), '');
  assert.equal(
    await identifiers(`from=${time(now + 5 * MINUTE)}&until=${time(now + 15 * MINUTE)}`),
    'ahead new before',
  );
  await put('after');
  set(now + 3 * YEAR);
  // Which clock was wrong is not known by now: the change of that one may have been made later.
  assert.equal(await identifiers(`from=${time(now + 15 * MINUTE)}`), 'ahead new before last after');
  // The change of the wrong clock came before the one behind it.
  const later = [...(await oai('verb=ListIdentifiers')).matchAll(/<datestamp>([^<]*)</g)];
  assert.equal(later[0]![1], time(now + 10 * MINUTE));
  const { text: sitemap } = await request('GET', '/-/c/sitemap.xml?after=0');
  assert.equal([...sitemap.matchAll(/<lastmod>/g)].length, 5);
  assert.ok(!sitemap.includes(time(now + YEAR).slice(0, 10)), sitemap);
});

test('a list that is resumed goes on after the time that it was limited to', async (t) => {
  const { request, now, put, oai, set, time } = await harvested(t);
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

test('changes before a clock was set back, and while it was, are harvested after it is right again', async (t) => {
  const { now, put, identifiers, set, time } = await harvested(t);
  await put('one');
  const from = `from=${time(now + MINUTE)}`;
  set(now + MINUTE);
  assert.equal(await identifiers(''), 'one');
  set(now + 2 * MINUTE);
  await put('two');
  set(now - YEAR);
  await put('three');
  set(now + 3 * MINUTE);
  await put('four');
  set(now + 4 * MINUTE);
  assert.equal(await identifiers(from), 'two three four');
});

test('changes while the clock is set back are harvested in their order', async (t) => {
  const { now, put, identifiers, set } = await harvested(t);
  await put('one');
  set(now - YEAR);
  await put('two');
  set(now + MINUTE);
  await put('three');
  assert.equal(await identifiers(''), 'one two three');
});
