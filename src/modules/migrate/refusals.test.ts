/** Refusals of review over changes of the schema, on each backend. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ADMIN, testApp } from '../../../test/support/app.ts';
import { BACKENDS } from '../../../test/support/backends.ts';
import { lacks } from '../../../test/support/lacks.ts';
import { BEFORE, RENAMED } from '../../../test/support/schemas.ts';

const LONG = 'm'.repeat(200_000);
const NAMES = BACKENDS.map((type) => type.replace('+', '-'));

test('what was rejected stays rejected when a schema change renames its class and slots, and when that is undone', {
  skip: lacks('review'),
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'accession-refusals-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [one, two] = [join(folder, 'one.yaml'), join(folder, 'two.yaml')];
  writeFileSync(one, BEFORE);
  writeFileSync(two, RENAMED);
  const modes = (mode: string) => Object.fromEntries(NAMES.map((c) => [c, mode]));
  const service = await testApp(t, {
    collections: Object.fromEntries(
      BACKENDS.map((type, at) => [NAMES[at], { schema: one, backend: { type } }]),
    ),
    tokens: { ann: modes('WRITE_COLLECTION'), cora: modes('CURATOR') },
  });
  const call = async <T>(method: string, url: string, json?: object, token = 'cora') => {
    const answer = await service.request(method, url, { token, ...(json && { json }) });
    assert.equal(answer.status, 200, `${method} ${url}: ${answer.text}`);
    return answer.json<T>();
  };
  for (const c of NAMES) {
    const standing = async (pid: string) =>
      (await call<{ standing: string }>('GET', `/-/${c}/review/item?label=ann&pid=${pid}`)).standing;
    // A long one is carried over in threads.
    for (const [id, mail] of [
      ['bad', LONG],
      ['gone', 'm'],
      ['good', 'm'],
    ])
      await call('POST', `/${c}/record/Person`, { pid: `ex:${id}`, mail, status: 'alive' }, 'ann');
    for (const id of ['bad', 'gone']) {
      const { digest } = await call<{ digest: string }>('GET', `/-/${c}/review/item?label=ann&pid=ex:${id}`);
      const decision = { label: 'ann', pid: `ex:${id}`, digest, decision: 'reject', reason: 'no' };
      await call('POST', `/-/${c}/review/decisions`, decision);
    }
    await call('DELETE', `/${c}/record?pid=ex:gone`, undefined, 'ann');
    const { id } = await call<{ id: string }>('POST', `/-/${c}/rehearse`, { address: two }, ADMIN);
    const change = await call<{ id: string }>(
      'POST',
      `/-/${c}/rehearsals/${id}/switch`,
      { if_valid: true },
      ADMIN,
    );
    assert.deepEqual([await standing('ex:bad'), await standing('ex:good')], ['rejected', 'waiting'], c);
    // Submitted again in the words of the new schema, by another slot name and value.
    await call('POST', `/${c}/record/Human`, { pid: 'ex:gone', email: 'm', status: 'living' }, 'ann');
    assert.equal(await standing('ex:gone'), 'rejected', c);
    await call('POST', `/${c}/record/Human`, { pid: 'ex:gone', email: 'other', status: 'living' }, 'ann');
    assert.equal(await standing('ex:gone'), 'waiting', c);
    await call('POST', `/-/${c}/switches/${change.id}/undo`, {}, ADMIN);
    assert.deepEqual([await standing('ex:bad'), await standing('ex:good')], ['rejected', 'waiting'], c);
  }
});
