/** What those who follow changes get of renames and merges. */
import assert from 'node:assert/strict';
import { testApp } from '../../../test/support/app.ts';
import { BACKENDS } from '../../../test/support/backends.ts';
import { assertFollows, at, changes, kinds, store } from '../../../test/support/followed.ts';
import { person } from '../../../test/support/people.ts';
import { repeated } from '../../../test/support/tier.ts';

for (const type of BACKENDS) {
  repeated(`${type}: a record that is renamed or merged is moved`, async (t) => {
    const service = await testApp(t, at(type));
    const curate = async (path: string, json?: object) => {
      const { status, text } = await service.request('POST', `/-/c/${path}`, { token: 'cur', json });
      assert.equal(status, 200, text);
      return JSON.parse(text) as { id: string };
    };
    await store(service, person('a'));
    await store(service, { ...person('b'), name: 'a', family_name: 'a' });
    const { next } = await changes(service);
    const { id } = await curate('curated/rename', { from: 'labid:a', to: 'labid:c' });
    const renamed = await changes(service, `?since=${next}`);
    assert.deepEqual(kinds(renamed), ['moved a', 'created c']);
    assert.equal(renamed.items[0]?.moved_to, 'labid:c');
    await curate(`moves/${encodeURIComponent(id)}/undo`);
    const undone = await changes(service, `?since=${renamed.next}`);
    assert.deepEqual(kinds(undone).sort(), ['created a', 'moved c']);
    await curate('curated/merge', { keep: 'labid:a', drop: 'labid:b', take: {} });
    const merged = (await changes(service, `?since=${undone.next}`)).items.find(
      ({ kind }) => kind === 'moved',
    );
    assert.deepEqual([merged?.pid, merged?.moved_to], ['labid:b', 'labid:a']);
    assert.deepEqual(kinds(await changes(service, `?since=${next}&limit=2`)), kinds(renamed));
  });

  repeated(`${type}: a client that follows random changes, with renames, has what the service has`, (t) =>
    assertFollows(t, type, (send, from, to) => send('POST', '/-/c/curated/rename', { from, to })),
  );
}
