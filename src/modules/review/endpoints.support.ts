/** Review over HTTP on each backend: what tests of its endpoints start from. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TestService, testApp } from '../../../test/support/app.ts';
import { BACKENDS } from '../../../test/support/backends.ts';

const COLLECTIONS = BACKENDS.map((type) => type.replace('+', '-'));

export const CONFIGURATION = {
  collections: Object.fromEntries(BACKENDS.map((type, at) => [COLLECTIONS[at]!, { backend: { type } }])),
  tokens: Object.fromEntries(
    Object.entries({
      rea: 'READ_CURATED',
      ann: 'WRITE_COLLECTION',
      bob: 'WRITE_COLLECTION',
      sub: 'WRITE_SUBMISSIONS',
      one: 'SUBMIT_ONLY',
      cora: 'CURATOR',
      nobody: 'NOTHING',
    }).map(([name, mode]) => [name, Object.fromEntries(COLLECTIONS.map((c) => [c, mode]))]),
  ),
};

/** A collection of the service, which is named for its backend. */
export type On = { readonly service: TestService; readonly c: string };

/** A test that one service runs on a collection of each backend. */
export function onEach(
  name: string,
  work: (on: On) => Promise<void>,
  configuration: object = CONFIGURATION,
): void {
  test(name, async (t) => {
    const service = await testApp(t, configuration);
    for (const c of COLLECTIONS) await t.test(c, () => work({ service, c }));
  });
}

export const ADA = { pid: 'labid:ada', name: 'Ada Byron', family_name: 'Byron' };
export const person = (name: string, more = {}) => ({
  pid: `labid:${name}`,
  name,
  family_name: name,
  ...more,
});

export async function store({ service, c }: On, token: string, record: object, query = '') {
  const url = `/${c}/record/Person${query}`;
  const answer = await service.request('POST', url, { token, json: record });
  assert.equal(answer.status, 200, answer.text);
  return answer;
}

export async function curate({ service, c }: On, record: object) {
  const answer = await service.request('POST', `/${c}/curated/record/Person`, {
    token: 'cora',
    json: record,
  });
  assert.equal(answer.status, 200, answer.text);
  return answer.headers.etag!;
}

export type Row = {
  pid: string;
  digest: string;
  curated_etag: string | null;
  base_etag: string | null;
  state: string;
};

export async function item({ service, c }: On, pid: string, label = 'ann'): Promise<Row> {
  const url = `/-/${c}/review/item?label=${label}&pid=${pid}`;
  const answer = await service.request('GET', url, { token: 'cora' });
  assert.equal(answer.status, 200, answer.text);
  return answer.json<Row>();
}

export async function decide({ service, c }: On, body: object, token = 'cora') {
  return service.request('POST', `/-/${c}/review/decisions`, { token, json: body });
}
