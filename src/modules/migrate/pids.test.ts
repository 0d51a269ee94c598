/** A schema whose records have no `pid` is refused in dry runs, too. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN } from '../../../test/support/app.ts';
import { REFUSED, started } from '../../../test/support/pids.ts';

test('a schema is refused in dry runs', async (t) => {
  const { service, file, put } = await started(t);
  for (const [name, [schema, expected]] of Object.entries(REFUSED)) {
    const address = file('other.yaml', schema);
    const created = { name: 'new', schema: address, curated: 'new/curated', incoming: 'new/incoming' };
    const running = (await service.request('GET', '/collections/c', { token: ADMIN })).json<object>();
    const changed = { ...running, name: 'c', schema: address };
    for (const [config, query] of [
      [created, '?dry_run=true'],
      [changed, '?dry_run=true'],
      [changed, '?if_valid=true'],
    ] as const) {
      const refused = await put(config, query);
      assert.equal(refused.status, 422, `${name}, ${query}: ${refused.text}`);
      assert.match(refused.text, expected);
    }
    for (const json of [{ schema }, { address }]) {
      const rehearsed = await service.request('POST', '/-/c/rehearse', { token: ADMIN, json });
      assert.equal(rehearsed.status, 422, `${name}: ${rehearsed.text}`);
      assert.match(rehearsed.text, expected);
    }
    const collections = await service.request('GET', '/collections', { token: ADMIN });
    assert.doesNotMatch(collections.text, /"new"|other\.yaml/);
  }
});
