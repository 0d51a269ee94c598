/** What an operator sees of a projection that fails: it holds up neither requests nor other projections. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ADMIN, testApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { person } from '../support/people.ts';

const CONFIGURATION = { collections: { c: {} }, tokens: { cur: { c: 'CURATOR' } } };

test('a projection that fails is reported by health, status and metrics, and requests go on', async (t) => {
  const service = await testApp(t, CONFIGURATION);
  const post = (name: string) =>
    service.request('POST', '/c/curated/record/Person', { token: 'cur', json: person(name) });
  const health = async () => {
    const { problems = [] } = (await service.request('GET', '/-/health')).json<{ problems?: string[] }>();
    return problems.filter((one) => one.startsWith('projection'));
  };
  assert.equal((await post('a')).status, 200);
  const { path } = service.app.registry.collection('c').curated.area;
  const failing = service.app.projector.add({
    name: 'away',
    collection: 'c',
    version: '1',
    places: [path],
    reads: 'entries',
    apply: async () => {
      throw new Error('the receiver is away');
    },
  });
  await eventually('a failure', () => failing.status().state === 'failed');
  assert.deepEqual(await health(), [
    "projection 'away' of collection 'c' fails in an area, 1 change behind, and is retried; see /-/status",
  ]);
  assert.equal((await post('b')).status, 200);
  const { projections } = (await service.request('GET', '/-/status', { token: ADMIN })).json<{
    projections: { name: string; state: string; areas: { area: string; error?: string }[] }[];
  }>();
  const shown = projections.find(({ name }) => name === 'away')!;
  assert.equal(shown.state, 'failed');
  assert.deepEqual(
    shown.areas.map(({ area, error }) => [area, error]),
    [[path, 'the receiver is away']],
  );
  const { text } = await service.request('GET', '/-/metrics', { token: ADMIN });
  assert.match(text, /^accession_projection_failing\{projection="away",collection="c"\} 1$/m);
  assert.match(text, /^accession_projection_failing\{projection="references",collection="c"\} 0$/m);
  await failing.stop();
  assert.deepEqual(await health(), []);
});
