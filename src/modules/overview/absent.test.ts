/** A store that has used the overview, in a service without it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN, testApp } from '../../../test/support/app.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { person } from '../../../test/support/people.ts';
import { MODULES } from '../../modules.ts';
import type { Overview } from './api-types.ts';
import { overview } from './module.ts';

test('a service without the overview starts on a store that has used it, and the counts follow what it changed', async (t) => {
  const configuration = { collections: { c: {} }, tokens: { cora: { c: 'CURATOR' } } };
  const service = await testApp(t, configuration);
  const store = (to: typeof service, name: string, more: object) =>
    to.request('POST', '/c/curated/record/Person', { token: 'cora', json: person(name, more) });
  const count = async (of: typeof service) => {
    const { records, slots } = (await of.request('GET', '/-/c/overview', { token: 'cora' })).json<Overview>();
    return [records, slots.find(({ slot }) => slot === 'given_name')?.records];
  };
  await store(service, 'a', { given_name: 'Ada' });
  await eventually('the counts follow', async () => {
    const { projections } = (await service.request('GET', '/-/status', { token: ADMIN })).json<{
      projections: { name: string; behind: number }[];
    }>();
    return projections.some(({ name, behind }) => name === 'overview' && behind === 0);
  });
  await service.app.close();
  const without = await testApp(t, configuration, {
    store: service.store,
    modules: MODULES.filter(({ name }) => name !== overview.name),
  });
  assert.equal((await without.request('GET', '/-/c/overview', { token: 'cora' })).status, 404);
  await store(without, 'a', {});
  await store(without, 'b', { given_name: 'Ben' });
  await without.app.close();
  const again = await testApp(t, configuration, { store: service.store, modules: MODULES });
  assert.deepEqual(await count(again), [2, 1]);
});
