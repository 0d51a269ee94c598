/** A store that has used vocabularies, in a service without them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN } from '../../../test/support/app.ts';
import { cells } from '../../../test/support/cells.ts';
import { MODULES } from '../../modules.ts';
import { vocabularies } from './module.ts';

test('a service without vocabularies keeps their configuration and snapshots, and reports that terms are not enforced', async (t) => {
  const service = await cells(t);
  await service.taken();
  assert.deepEqual(await service.put('a', { cell: 'CL:0000127' }), [400, 'term_outside']);
  const configured = async () =>
    (await service.request('GET', '/collections/samples', { token: ADMIN })).json<{ vocabularies: object }>()
      .vocabularies;
  const before = await configured();

  await service.restart({ modules: MODULES.filter(({ name }) => name !== vocabularies.name) });
  assert.deepEqual(await service.put('b', { cell: 'CL:0000127' }), [200]);
  assert.equal((await service.request('GET', '/-/samples/terms', { token: 'ann' })).status, 404);
  const { problems } = (await service.request('GET', '/-/health')).json<{ problems: string[] }>();
  assert.match(problems.join('\n'), /collection 'samples': the vocabulary 'cl' has no snapshot/);
  const json = { vocabularies: { cl: {} } };
  const refused = await service.request('POST', '/-/samples/rehearse', { token: 'cleo', json });
  assert.equal(refused.status, 422, refused.text);
  assert.match(refused.text, /no module that reads the source/);
  assert.deepEqual(await configured(), before);

  await service.restart({ modules: MODULES });
  assert.deepEqual(await configured(), before);
  assert.deepEqual(await service.put('c', { cell: 'CL:0000127' }), [400, 'term_outside']);
});
