/** Deletes of several records of which others refer to some. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { testApp } from '../../../test/support/app.ts';
import { organization, person } from '../../../test/support/people.ts';
import type { Module } from '../../module.ts';

/** A service on which Ada refers to the institute. */
async function withAda(t: TestContext, modules: readonly Module[] = []) {
  const configuration = { collections: { c: {} }, tokens: { cora: { c: 'CURATOR' } } };
  const { request } = await testApp(t, configuration, { modules });
  const store = (className: string, json: object) =>
    request('POST', `/c/curated/record/${className}`, { token: 'cora', json });
  const referring = (name: string) => store('Person', person(name, { affiliations: ['labid:institute'] }));
  await store('Organization', organization('institute'));
  await referring('ada');
  const remove = async (parameters: string, ...names: string[]) => {
    const json = names.map((name) => `labid:${name}`);
    const answer = await request('DELETE', `/-/c/curated/records/?if_unreferenced=true${parameters}`, {
      token: 'cora',
      json,
    });
    const body = answer.json<Result[] | { readonly results: Result[] }>();
    return Array.isArray(body) ? body : body.results;
  };
  return { referring, remove };
}

type Result = { readonly status: number; readonly detail?: unknown };

const statuses = (results: readonly Result[]) => results.map(({ status }) => status);

test('a record is deleted behind those that refer to it, and kept before them', async (t) => {
  const { remove } = await withAda(t);
  const [kept, deleted] = await remove('', 'institute', 'ada');
  assert.deepEqual([kept?.status, deleted?.status], [409, 200]);
  assert.match(JSON.stringify(kept?.detail), /'labid:ada' \(Person\) refers to 'labid:institute'/);
  assert.deepEqual(statuses(await remove('', 'institute')), [200]);
});

test('the order does not matter if all records are deleted or none', async (t) => {
  const { remove } = await withAda(t);
  assert.deepEqual(statuses(await remove('&atomic=true', 'institute', 'ada')), [200, 200]);
});

test('a reference that is stored while a delete is prepared keeps the record', async (t) => {
  for (const parameters of ['', '&atomic=true']) {
    let meanwhile: (() => Promise<unknown>) | undefined;
    /** Stores another reference once, when the delete has been judged and is not committed yet. */
    const storing: Module = {
      name: 'storing',
      attach: () => () => ({
        companion: () => async (_draft, _area, changes) => {
          if (!changes.some((change) => 'delete' in change)) return;
          const store = meanwhile;
          meanwhile = undefined;
          await store?.();
        },
      }),
    };
    const { referring, remove } = await withAda(t, [storing]);
    meanwhile = () => referring('ben');
    const [ada, institute] = await remove(parameters, 'ada', 'institute');
    assert.deepEqual([ada?.status, institute?.status], parameters ? [424, 409] : [200, 409], parameters);
    assert.match(JSON.stringify(institute?.detail), /1 record refers|labid:ben/);
  }
});
