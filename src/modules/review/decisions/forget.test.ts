/** `accession review forget`, while the service runs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { accession } from '../../../../test/cli/accession.ts';
import { testApp } from '../../../../test/support/app.ts';

const COMMAND = resolve(import.meta.dirname, '../../../../bin/accession.js');

/** The command in a process of its own. */
const beside = async (args: readonly string[]) =>
  spawnSync(process.execPath, [COMMAND, ...args], { encoding: 'utf8' });

for (const [type, run] of [
  ['sqlite', beside],
  ['record_dir+stl', accession],
] as const)
  test(`A person and contents are forgotten, and the rejection is still remembered (${type})`, async (t) => {
    const service = await testApp(t, {
      collections: { lab: { backend: { type } } },
      tokens: { ann: { lab: 'WRITE_COLLECTION' }, cora: { lab: 'CURATOR' } },
    });
    const json = { pid: 'labid:ada', name: 'Ada', family_name: 'Byron', description: 'SECRET' };
    const stored = () => service.request('POST', '/lab/record/Person', { token: 'ann', json });
    await stored();
    const get = (path: string) => service.request('GET', `/-/lab/review/${path}`, { token: 'cora' });
    const { digest } = (await get('item?label=ann&pid=labid:ada')).json<{ digest: string }>();
    const body = { label: 'ann', pid: 'labid:ada', digest, decision: 'reject', reason: 'PRIVATE' };
    const made = await service.request('POST', '/-/lab/review/decisions', { token: 'cora', json: body });
    const comment = { label: 'ann', pid: 'labid:ada', text: 'INTIMATE' };
    await service.request('POST', '/-/lab/review/comments', { token: 'cora', json: comment });
    await service.request('POST', '/-/lab/submissions/comments', {
      token: 'ann',
      json: { pid: 'labid:ada', text: 'MINE' },
    });
    const { id } = made.json<{ id: string }>();

    const forget = ['review', 'forget', service.store];
    const user = await run([...forget, 'lab', '--user', 'ann@example.org']);
    assert.deepEqual([user.status, user.stderr], [0, '1 decision changed\n']);
    const anonymous = (await get(`decisions/${id}`)).json<{ submitter: string; reviewer: string }>();
    assert.deepEqual([anonymous.submitter, anonymous.reviewer], ['forgotten', 'cora@example.org']);

    const item = await get('item?label=ann&pid=labid:ada');
    assert.match(item.text, /"author":"forgotten","role":"submitter"/);
    assert.match(item.text, /"author":"cora@example.org","role":"curator"/);

    assert.equal((await run([...forget, 'lab', '--pid', 'labid:ada'])).status, 0);
    assert.deepEqual((await get('item?label=ann&pid=labid:ada')).json<{ comments: [] }>().comments, []);
    const decision = await get(`decisions/${id}`);
    assert.doesNotMatch(decision.text, /SECRET|PRIVATE/);
    await stored();
    assert.equal((await get('summary')).json<{ total: number }>().total, 0, 'it is still rejected');
    assert.equal((await accession([...forget, 'lab'])).status, 1);
    assert.equal((await accession([...forget, 'none', '--user', 'x'])).status, 1);
  });
