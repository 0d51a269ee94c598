/** Collections whose users are known by a forge (specification 5.3), through the whole service. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { testApp } from '../support/app.ts';
import { type ForgeDouble, startForgeDouble } from '../support/forge-double.ts';

describe('a collection with a forge', () => {
  let forge: ForgeDouble;
  before(async () => {
    forge = await startForgeDouble();
  });
  after(() => forge.close());

  /** A source for a team of the double; members have a zone each. */
  const source = (team: string, url = forge.url) => ({
    type: 'forge',
    url,
    organization: 'data_handling',
    team,
    label_type: 'user',
  });
  const zoneOf = (login: string, url = forge.url) =>
    `forgejo-${createHash('md5').update(url).digest('hex')}-user-${login}`;
  const person = (name: string) => ({ pid: `labid:${name}`, name, family_name: name });

  test('lets readers read, writers submit to their own zone, and curators see it', async (t) => {
    const auth_sources = [source('curators'), source('writers'), source('readers')];
    const service = await testApp(t, { collections: { lab: { auth_sources } } });
    const walt = { token: forge.token('walt'), json: person('a') };
    const rita = { token: forge.token('rita'), json: person('b') };
    const carl = { token: forge.token('carl') };

    assert.equal((await service.request('POST', '/lab/record/Person', rita)).status, 403);
    const stored = await service.request('POST', '/lab/record/Person?add_submission_tag=true', walt);
    assert.equal(stored.status, 200, stored.text);
    assert.match(stored.text, /walt@example\.org/);
    const list = '/lab/records/Person';
    assert.equal((await service.request('GET', list, { token: rita.token })).text, '[]');
    assert.equal(
      (await service.request('GET', `/lab/incoming/${zoneOf('walt')}/records/`, walt)).status,
      403,
    );
    const zone = await service.request('GET', `/lab/incoming/${zoneOf('walt')}/records/`, carl);
    assert.equal(zone.json<unknown[]>().length, 1, zone.text);
    const curatedStore = await service.request('POST', '/lab/curated/record/Person', {
      ...carl,
      json: person('c'),
    });
    assert.equal(curatedStore.status, 200, curatedStore.text);
    assert.equal((await service.request('GET', list, { token: rita.token })).json<unknown[]>().length, 1);
  });

  test('returns the reason of each source for a refused token', async (t) => {
    const auth_sources = [{ type: 'config' }, source('writers')];
    const service = await testApp(t, { collections: { lab: { auth_sources } } });
    const answer = await service.request('GET', '/lab/records/', { token: forge.token('nora') });
    assert.equal(answer.status, 401);
    assert.equal(
      answer.json<{ detail: string }>().detail,
      "The collection 'lab' does not accept the token (config: no such token; " +
        `forge ${forge.url}: the user is not in team 'writers' of organization 'data_handling').`,
    );
  });

  test('asks a forge once that two collections use', async (t) => {
    const collections = {
      one: { auth_sources: [source('writers')] },
      two: { auth_sources: [{ ...source('writers'), type: 'forgejo' }] },
    };
    const service = await testApp(t, { collections });
    forge.calls.length = 0;
    for (const name of ['one', 'two', 'one', 'two']) {
      const answer = await service.request('GET', `/${name}/records/`, { token: forge.token('walt') });
      assert.equal(answer.status, 200, answer.text);
    }
    assert.equal(new Set(forge.calls).size, forge.calls.length, forge.calls.join(' '));
  });

  test('distinguishes users of the same name on two forges', async (t) => {
    const mirror = await startForgeDouble();
    t.after(() => mirror.close());
    const collections = {
      hub: { auth_sources: [source('writers')], incoming: 'shared/incoming' },
      mirror: { auth_sources: [source('writers', mirror.url)], incoming: 'shared/incoming' },
    };
    const service = await testApp(t, { collections });
    const walt = { token: forge.token('walt') };
    await service.request('POST', '/hub/record/Person', { ...walt, json: person('mine') });
    assert.match((await service.request('GET', '/hub/record?pid=labid:mine', walt)).text, /mine/);
    assert.equal((await service.request('GET', '/mirror/record?pid=labid:mine', walt)).text, 'null');
  });

  test('writes no token into its log, whatever happens', async (t) => {
    let log = '';
    const lines = new Writable({
      write(chunk, _encoding, done) {
        log += chunk;
        done();
      },
    });
    const logger = pino({ level: 'trace' }, lines);
    const auth_sources = [{ type: 'config' }, source('writers')];
    const service = await testApp(t, { collections: { lab: { auth_sources } } }, { logger });
    for (const holder of ['walt', 'nora', 'a stranger']) {
      const token = forge.token(holder);
      await service.request('POST', '/lab/record/Person', { token, json: person('x') });
      await service.request('GET', '/lab/records/?format=nonsense', { token });
    }
    forge.misbehave('user/teams', (response) => response.writeHead(500).end(forge.token('vera')));
    await service.request('GET', '/lab/records/', { token: forge.token('vera') });
    forge.misbehave('user/teams');
    assert.ok(!log.includes('secret-of-'), log);
  });
});
