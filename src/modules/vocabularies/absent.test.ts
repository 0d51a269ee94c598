/** A store that has used vocabularies, in a service without them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#linkml/json.ts';
import { ADMIN } from '../../../test/support/app.ts';
import { cells } from '../../../test/support/cells.ts';
import { MODULES } from '../../modules.ts';
import { vocabularies } from './module.ts';

test('a service without vocabularies keeps their configuration and snapshots, and does not enforce terms', async (t) => {
  const service = await cells(t);
  await service.taken();
  assert.deepEqual(await service.put('a', { cell: 'CL:0000127' }), [400, 'term_outside']);
  const configured = async () =>
    (await service.request('GET', '/collections/samples', { token: ADMIN })).json<{ vocabularies: object }>()
      .vocabularies;
  const before = await configured();

  await service.restart({ modules: MODULES.filter(({ name }) => name !== vocabularies.name) });
  assert.deepEqual(await service.put('b', { cell: 'CL:0000127' }), [200]);
  assert.equal(await configured(), undefined);
  assert.equal((await service.request('GET', '/-/samples/terms', { token: 'ann' })).status, 404);
  const json = { vocabularies: { cl: { source: 'cells.json' } } };
  const refused = await service.request('POST', '/-/samples/rehearse', { token: ADMIN, json });
  assert.equal(refused.status, 422, refused.text);
  assert.match(refused.text, /no module that reads the source/);
  const path = '/collections/samples';
  const shown = (await service.request('GET', path, { token: ADMIN })).json<JsonObject>();
  const put = (more: JsonObject) =>
    service.request('PUT', path, { token: ADMIN, json: { ...shown, name: 'samples', ...more } });
  assert.match((await put(json)).text, /vocabularies.*unknown key/);
  assert.equal((await put({ use_classes: ['Sample'] })).status, 201);

  await service.restart({ modules: MODULES });
  assert.deepEqual(await configured(), before);
  assert.deepEqual(await service.put('c', { cell: 'CL:0000127' }), [400, 'term_outside']);
});
