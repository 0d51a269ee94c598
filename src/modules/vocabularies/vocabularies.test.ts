/** Vocabularies of collections: taken, kept, and enforced. */
import assert from 'node:assert/strict';
import { renameSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TAG } from '../../../test/policies/world.ts';
import { ADMIN } from '../../../test/support/app.ts';
import { cells } from '../../../test/support/cells.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { lacks } from '../../../test/support/lacks.ts';
import { person } from '../../../test/support/people.ts';
import { ownDatabase } from '../../../test/support/postgresql.ts';
import { ofTier, repeated, test } from '../../../test/support/tier.ts';

for (const backend of ofTier(['sqlite', 'postgresql']))
  repeated(
    `terms are enforced from when their source was taken, also without the source: ${backend}`,
    async (t) => {
      const service = await cells(t, { backend: { type: backend } });
      await service.taken();
      const verdicts = async () => ({
        neuron: await service.put('a', { cell: 'CL:0000100' }),
        glia: await service.put('b', { cell: 'CL:0000127' }),
        obsolete: await service.put('c', { cell: 'CL:0000338' }),
        unknown: await service.put('d', { cell: 'CL:0999999' }),
        label: await service.put('e', { found: { id: 'CL:0000100', label: 'astrocyte' } }),
        right: await service.put('f', { found: { id: 'CL:0000100', label: 'motor neuron' } }),
        // Long records are checked in threads.
        long: await service.put('g', { cell: 'CL:0000127', note: 'x'.repeat(200_000) }),
      });
      const expected = {
        neuron: [200],
        glia: [400, 'term_outside'],
        obsolete: [400, 'term_obsolete'],
        unknown: [400, 'term_unknown'],
        label: [400, 'label_mismatch'],
        right: [200],
        long: [400, 'term_outside'],
      };
      assert.deepEqual(await verdicts(), expected);
      rmSync(service.source);
      await service.restart();
      assert.deepEqual(await verdicts(), expected);
      assert.equal((await service.request('GET', '/-/health')).json<{ status: string }>().status, 'ok');
    },
  );

test('without a snapshot, terms are accepted, and health has the reason', async (t) => {
  const service = await cells(t, { vocabularies: { cl: { source: 'missing.json' } } });
  assert.deepEqual(await service.put('a', { cell: 'anything' }), [200]);
  const { problems } = (await service.request('GET', '/-/health')).json<{ problems: string[] }>();
  assert.match(problems.join('\n'), /collection 'samples': the vocabulary 'cl' has no snapshot/);
  renameSync(service.source, service.source.replace('cells.json', 'missing.json'));
  await service.restart();
  await service.taken();
  assert.deepEqual(await service.put('b', { cell: 'anything' }), [400, 'term_unknown']);
  await t.test('what was stored before is checked again', { skip: lacks('curate') }, async () => {
    type Faults = { items: { pid: string }[]; pending: number };
    const faults = await eventually(
      'all records are checked',
      async () => (await service.request('GET', '/-/samples/faults', { token: 'cleo' })).json<Faults>(),
      ({ pending }) => pending === 0,
    );
    assert.deepEqual(
      faults.items.map(({ pid }) => pid),
      ['ex:a'],
    );
  });
});

test('a collection that is set again keeps its snapshot, unless the source is another one', async (t) => {
  const service = await cells(t);
  await service.taken();
  const read = async () =>
    (await service.request('GET', '/collections/samples', { token: ADMIN })).json<{
      vocabularies: Record<string, { source: string; snapshot?: string }>;
    }>();
  const { vocabularies, ...config } = await read();
  assert.match(vocabularies.cl?.snapshot ?? '', /^[0-9a-f]{64}$/);
  const set = async (source: string) => {
    const json = { ...config, vocabularies: { cl: { source } } };
    const answer = await service.request('PUT', '/collections/samples', { token: ADMIN, json });
    assert.equal(answer.status, 201, answer.text);
    return (await read()).vocabularies.cl;
  };
  service.edit('CL_0000100', { lbl: 'motoneuron' });
  assert.deepEqual(await set('cells.json'), vocabularies.cl, 'a refresh is something else');
  assert.deepEqual(await set('other.json'), { source: 'other.json' });
});

test('a source on the own machine needs the permission of the operator', async (t) => {
  const source = 'http://127.0.0.1:9/cells.json';
  const service = await cells(t, { vocabularies: { cl: { source } } }, { schemaHosts: [] });
  await assert.rejects(service.app.registry.terms.fetch({ source }), /--schema-hosts 127.0.0.1/);
});

test('sources that do not end keep no long record from being checked', async (t) => {
  let asked = 0;
  const endless = createServer((_, response) => {
    asked += 1;
    response.write('id,label\n');
  }).listen(0, '127.0.0.1');
  t.after(() => endless.close());
  await new Promise<void>((listens) => endless.once('listening', listens));
  const source = `http://127.0.0.1:${(endless.address() as AddressInfo).port}/terms.csv`;
  const service = await cells(t, {}, { schemaHosts: ['127.0.0.1'] });
  await service.taken();
  // More than there are threads.
  const reads = Array.from({ length: 6 }, () => service.app.registry.terms.fetch({ source }));
  const ended = Promise.allSettled(reads);
  await eventually('the sources are read', () => asked > 1);
  assert.deepEqual(await service.put('long', { cell: 'CL:0000100', note: 'x'.repeat(200_000) }), [200]);
  endless.closeAllConnections();
  endless.close();
  for (const { status } of await ended) assert.equal(status, 'rejected');
});

type Found = {
  items: {
    value: string;
    label: string;
    obsolete: boolean;
    narrower: boolean;
    parents: { label: string }[];
  }[];
};

test('terms are found as a person types, below a term, and one by its id with its parents', async (t) => {
  const service = await cells(t, {}, { tokens: { noah: { samples: 'NOTHING' } } });
  const ask = (query: string, token = 'ann') => service.request('GET', `/-/samples/terms${query}`, { token });
  assert.deepEqual(
    (await ask('')).json<{ terms: number }[]>().map(({ terms }) => terms),
    [0],
  );
  assert.equal((await ask('/cl?q=neuron')).status, 404, 'there is no snapshot yet');
  await service.taken();
  const [about] = (await ask('')).json<{ name: string; terms: number; title: string }[]>();
  assert.deepEqual([about?.name, about?.terms, about?.title], ['cl', 25, 'Cells, an excerpt']);
  const labels = async (query: string) => (await ask(query)).json<Found>().items.map(({ label }) => label);
  assert.deepEqual(await labels('/cl?q=motor%20neu'), ['motor neuron']);
  assert.deepEqual(await labels('/cl?q=ne&limit=2'), ['neuron', 'neural cell']);
  assert.deepEqual(await labels('/cl?q=cell&under=CL:0000125'), ['microglial cell']);
  assert.deepEqual(await labels('/cl?under=CL:0000125'), ['astrocyte', 'microglial cell', 'oligodendrocyte']);
  const [one] = (await ask('/cl?q=CL:0000540')).json<Found>().items;
  assert.deepEqual(
    [one?.value, one?.label, one?.narrower, one?.parents.map(({ label }) => label)],
    ['CL:0000540', 'neuron', true, ['electrically responsive cell', 'neural cell']],
  );
  const [obsolete] = (await ask('/cl?q=CL:0000338')).json<Found>().items;
  assert.equal(obsolete?.obsolete, true);
  assert.deepEqual(await labels('/cl?q=cell&enum=Neuron'), ['Purkinje cell', 'neuron', 'pyramidal neuron']);
  assert.equal((await ask('/cl?q=x&enum=Found')).status, 422);
  const { slots } = (await service.request('GET', '/-/samples/classes/Sample', { token: 'ann' })).json<{
    slots: { name: string; range: { vocabularies?: string[] } }[];
  }>();
  assert.deepEqual(slots.find(({ name }) => name === 'cell')?.range.vocabularies, ['cl']);
  assert.equal((await ask('/go?q=x')).status, 404);
  assert.equal((await ask('/cl?q=x', 'noah')).status, 403);
  assert.equal((await ask('/cl?q=x', 'nobody')).status, 401);
});

test('the records of a class are a vocabulary, without those that policies hide', async (t) => {
  const people = { policy_annotation_tag: TAG };
  const service = await cells(
    t,
    { vocabularies: { people: { source: 'people/Agent', format: 'records' } } },
    { collections: { people }, tokens: { cora: { people: 'CURATOR' } } },
  );
  const store = (name: string, more: object = {}) =>
    service.request('POST', '/people/curated/record/Person', { token: 'cora', json: person(name, more) });
  assert.equal((await store('ada')).status, 200);
  assert.equal((await store('secret', { annotations: { [TAG]: 'staff' } })).status, 200);
  await service.taken();
  const { items } = (await service.request('GET', '/-/samples/terms/people', { token: 'ann' })).json<{
    items: { id: string; label: string }[];
  }>();
  assert.deepEqual(
    items.map(({ id, label }) => [id, label]),
    [['https://example.org/laboratory/id/ada', 'ada']],
  );
});

test('instances on one database have the same snapshot, also one without the source', async (t) => {
  const databaseUrl = await ownDatabase();
  const attributes = { backend: { type: 'postgresql' } };
  const one = await cells(t, attributes, { databaseUrl });
  await one.taken();
  const other = await cells(t, attributes, { databaseUrl });
  rmSync(other.source);
  assert.deepEqual(await other.put('a', { cell: 'CL:0000127' }), [400, 'term_outside']);
  const json = { vocabularies: { cl: null } };
  const { id } = (await one.request('POST', '/-/samples/rehearse', { token: 'cleo', json })).json<{
    id: string;
  }>();
  await one.request('POST', `/-/samples/rehearsals/${id}/switch`, { token: ADMIN, json: {} });
  const terms = () => other.app.registry.collection('samples').schema.terms;
  await eventually('no terms', () => Object.keys(terms()).length === 0);
  assert.deepEqual(await other.put('a', { cell: 'CL:0000127' }), [200]);
});
