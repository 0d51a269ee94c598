/** `dtc auto-curate` and review on one queue: the peer's client is noticed, and neither undoes what the other does. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { dtc } from '../../../test/parity/client.ts';
import { findPeer } from '../../../test/parity/peer.ts';
import { testApp } from '../../../test/support/app.ts';

const found = await findPeer();
const skip = 'missing' in found ? found.missing : false;
const COUNT = 12;

test('auto-curate and review empty one queue together', { skip }, async (t) => {
  if ('missing' in found) return;
  const service = await testApp(t, {
    collections: { lab: {} },
    tokens: { ann: { lab: 'WRITE_COLLECTION' }, cora: { lab: 'CURATOR' }, carl: { lab: 'CURATOR' } },
  });
  await service.app.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = service.app.server.server.address() as AddressInfo;
  const pids = Array.from({ length: COUNT }, (_, at) => `labid:p${at}`);
  for (const pid of pids) {
    const json = { pid, name: pid, family_name: 'P' };
    const stored = await service.request('POST', '/lab/record/Person', { token: 'ann', json });
    assert.equal(stored.status, 200, stored.text);
  }
  const get = async <T>(path: string, token = 'cora') =>
    (await service.request('GET', `/-/lab/${path}`, { token })).json<T>();

  async function review(): Promise<void> {
    for (const pid of pids.toReversed()) {
      const { digest } = await get<{ digest?: string }>(`review/item?label=ann&pid=${pid}`);
      if (digest === undefined) continue;
      const json = { label: 'ann', pid, digest, decision: 'accept' };
      const { status } = await service.request('POST', '/-/lab/review/decisions', { token: 'cora', json });
      assert.ok([200, 404, 409].includes(status), `${pid}: ${status}`);
      await new Promise((go) => setTimeout(go, 100));
    }
  }
  const curate = () =>
    dtc(found.peer, ['auto-curate', `http://127.0.0.1:${port}`, 'lab', 'ann'], { token: 'carl' });
  await Promise.all([curate(), review()]);
  // A delete that the review was faster with ends a run of the client; the next one finds what is left.
  const last = await curate();
  assert.equal(last.status, 0, last.stderr);

  const { total } = await get<{ total: number }>('review/summary');
  assert.equal(total, 0);
  const curated = await service.request('GET', '/lab/curated/records/', { token: 'cora' });
  assert.equal(curated.json<object[]>().length, COUNT);
  const own = await get<{ items: { status: string }[] }>('submissions/', 'ann');
  assert.deepEqual(
    own.items.map(({ status }) => status),
    pids.map(() => 'accepted'),
  );
  const decisions = await get<{ items: { pid: string }[] }>('review/decisions');
  const decided = decisions.items.map(({ pid }) => pid);
  assert.equal(new Set(decided).size, decided.length, 'no submission is decided twice');
  t.diagnostic(`${decided.length} of ${COUNT} were decided in review, the others by the client`);
});
