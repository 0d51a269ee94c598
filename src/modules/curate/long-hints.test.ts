/** Hints about long records: they are found while others have their turns, and fit into headers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '../../../test/support/app.ts';
import { observed } from '../../../test/support/observed.ts';
import { person } from '../../../test/support/people.ts';

test('the references of a long record are looked up in slices, and the missing ones are named', async (t) => {
  const service = await testApp(t, {
    collections: { c: {} },
    tokens: { ann: { c: 'WRITE_COLLECTION' }, cleo: { c: 'CURATOR' } },
  });
  await service.request('POST', '/c/curated/record/Organization', {
    token: 'cleo',
    json: { pid: 'labid:0', name: 'x' },
  });
  const affiliations = Array.from({ length: 20_000 }, (_, n) => `labid:${n}`);
  const json = { pid: 'labid:x', family_name: 'x', name: 'x', affiliations };
  const { answer, turns } = await observed(service, () =>
    service.request('POST', '/c/validate/record/Person?hints=true', { token: 'ann', json }),
  );
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers['accession-dangling'] ?? '', /^https?:.*\/1, /);
  assert.ok(turns > 5, `${turns} turns`);
});

test('hints that proxies would refuse are left out of headers', async (t) => {
  const { request } = await testApp(t, { collections: { c: {} }, tokens: { cleo: { c: 'CURATOR' } } });
  const long = (name: string) => `labid:${name.repeat(3000)}`;
  const json = person('x', { pid: long('p'), affiliations: [long('a'), 'labid:b', long('c'), 'labid:d'] });
  const checked = await request('POST', '/c/validate/record/Person?hints=true', { token: 'cleo', json });
  assert.match(String(checked.headers['accession-dangling']), /^\S{3000,3900}, \S+\/b, \S+\/d$/);
});

test('without hints, nothing is looked for', async (t) => {
  const { request } = await testApp(t, { collections: { c: {} }, tokens: { cleo: { c: 'CURATOR' } } });
  const json = person('x', { affiliations: ['labid:b'] });
  for (const path of ['/c/validate/record/Person', '/c/record/Person', '/c/curated/record/Person'])
    for (const [query, found] of [
      ['', undefined],
      ['?hints=false', undefined],
      ['?hints=true', 'https://example.org/laboratory/id/b'],
    ] as const) {
      const { status, headers } = await request('POST', path + query, { token: 'cleo', json });
      assert.deepEqual([status, headers['accession-dangling']], [200, found], path + query);
    }
  for (const path of ['/-/c/validate/records/Person', '/-/c/records/Person', '/-/c/curated/records/Person'])
    for (const query of ['', '?hints=true']) {
      const answer = await request('POST', path + query, { token: 'cleo', json: [json] });
      const [result] = answer.json<{ dangling?: string[] }[]>();
      assert.equal(result?.dangling?.length, query === '' ? undefined : 1, path + query);
    }
});
