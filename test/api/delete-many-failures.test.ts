/** The storage fails while many records are deleted: the response says which of them are gone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '../../src/core/errors.ts';
import { iriOfChange } from '../../src/core/storage/store.ts';
import type { Module } from '../../src/module.ts';
import { testApp } from '../support/app.ts';
import { person } from '../support/people.ts';

/** Stands for a disk that becomes full: deletes of one record find no room. */
const fullDisk: Module = {
  name: 'full-disk',
  attach: () => () => ({
    companion: () => async (_draft, _area, changes) => {
      if (changes.some((change) => 'delete' in change && iriOfChange(change).endsWith('/full')))
        throw new ServiceError('storage_full', 'Nothing was changed: the disk of the store is full.');
    },
  }),
};

/** Deletes records one of which is `full`. @returns the status, and how many results have which status */
async function deleting(t: Parameters<typeof testApp>[0], names: readonly string[], parameters: string) {
  const configuration = { collections: { c: {} }, tokens: { cora: { c: 'CURATOR' } } };
  const { request } = await testApp(t, configuration, { modules: [fullDisk] });
  const token = 'cora';
  const people = names.map((name) => person(name));
  await request('POST', '/-/c/curated/records/Person', { token, json: people });
  const json = people.map(({ pid }) => pid);
  const { status, text } = await request('DELETE', `/-/c/curated/records/${parameters}`, { token, json });
  const left = (await request('GET', '/-/c/curated/export', { token })).text;
  const isLeft = (pid: string) => left.includes(`"pid":"${pid}"`);
  if (status !== 200) return { status, left: json.filter(isLeft).length };
  const results = JSON.parse(text) as { pid: string; status: number }[];
  for (const one of results) assert.equal(isLeft(one.pid), one.status === 507, one.pid);
  return { status, statuses: results.map((one) => one.status) };
}

const many = Array.from({ length: 500 }, (_, n) => `p${n}`);

test('a group that cannot be written is the outcome of its records, once others are deleted', async (t) => {
  for (const parameters of ['', '?if_unreferenced=true']) {
    const { statuses } = await deleting(t, [...many, 'full', 'last'], parameters);
    assert.deepEqual(statuses, [...many.map(() => 200), 507, 507], parameters);
  }
});

test('a failure before anything is deleted is that of the request', async (t) => {
  for (const parameters of ['', '?if_unreferenced=true', '?atomic=true'])
    assert.deepEqual(await deleting(t, ['full', 'last'], parameters), { status: 507, left: 2 }, parameters);
});
