/** Submissions that come with a store keep the time that they say of themselves. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMIN, LABORATORY, testApp } from '../../../test/support/app.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { lacks } from '../../../test/support/lacks.ts';

type Queue = { readonly items: { readonly pid: string; readonly submitted_at: string }[] };

test('an imported submission has the time of its tag, and the time of its file without one, with a later one, or one before 1970', {
  skip: lacks('peer'),
}, async (t) => {
  const service = await testApp(t, { tokens: { cur: { notes: 'CURATOR' } } });
  const folder = join(service.store, 'own/incoming/ann/Person');
  mkdirSync(folder, { recursive: true });
  const tags = {
    early: '2020-05-01T10:00:00.000000+00:00',
    late: '2999-01-01T00:00:00Z',
    wrong: 'soon',
    ancient: '0001-01-01T00:00:00Z',
  };
  for (const name of [...Object.keys(tags), 'none']) {
    const time = (tags as Record<string, string>)[name];
    const tag =
      time === undefined
        ? ''
        : `annotations:\n  'http://semanticscience.org/resource/SIO_001083': '${time}'\n`;
    writeFileSync(join(folder, `${name}.yaml`), `pid: labid:${name}\nname: ${name}\nfamily_name: F\n${tag}`);
  }
  const begun = Date.now();
  const notes = { name: 'notes', schema: LABORATORY, default_token: 'cur', curated: 'own/curated' };
  const json = { ...notes, incoming: 'own/incoming' };
  assert.equal((await service.request('POST', '/collections', { token: ADMIN, json })).status, 201);
  const { items } = await eventually(
    'the submissions',
    async () => (await service.request('GET', '/-/notes/review/', { token: 'cur' })).json<Queue>(),
    (queue) => queue.items.length === 5,
  );
  const times = new Map(items.map(({ pid, submitted_at }) => [pid, Date.parse(submitted_at)]));
  assert.equal(items[0]?.pid, 'labid:early', 'the oldest one comes first');
  assert.equal(times.get('labid:early'), Date.parse(tags.early));
  for (const pid of ['labid:late', 'labid:wrong', 'labid:ancient', 'labid:none'])
    assert.ok(Math.abs(times.get(pid)! - begun) < 60_000, pid);
});
