import assert from 'node:assert/strict';
import { createReadStream, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { SnapshotBuilder } from './build-snapshot.ts';
import { searchTerms } from './search.ts';
import { openSnapshot, type Snapshot } from './snapshot.ts';
import { takeSnapshot } from './take.ts';

const folder = resolve(import.meta.dirname, '../../test/vocabularies');
const OBO = 'http://purl.obolibrary.org/obo/';
const MATERIALS = 'https://example.org/materials/';

async function taken(name: string, highWaterMark = 65_536): Promise<Snapshot> {
  const pieces = createReadStream(resolve(folder, name), { highWaterMark });
  return openSnapshot(await takeSnapshot(pieces, { source: name }));
}

test('an OBO Graph has labels, synonyms, edges by relation, and what replaces obsolete terms', async () => {
  const cells = await taken('cells.json');
  assert.equal(cells.size, 25);
  assert.deepEqual(cells.term(`${OBO}CL_0000540`), {
    id: `${OBO}CL_0000540`,
    label: 'neuron',
    synonyms: ['nerve cell'],
    definition: 'A cell that receives, processes and sends electrical signals.',
    obsolete: false,
    replacedBy: [],
  });
  const obsolete = cells.term(`${OBO}CL_0000338`);
  assert.deepEqual([obsolete?.obsolete, obsolete?.replacedBy], [true, [`${OBO}CL_0000540`]]);
  assert.deepEqual(cells.parents(`${OBO}CL_0000121`), [
    { relation: `${OBO}BFO_0000050`, id: `${OBO}UBERON_0002037` },
    { relation: 'http://www.w3.org/2000/01/rdf-schema#subClassOf', id: `${OBO}CL_0000540` },
  ]);
  assert.equal(cells.term(`${OBO}BFO_0000050`), undefined, 'a property is not a term');
  assert.equal(cells.covers(`${OBO}CL_9999999`), true);
  assert.equal(cells.covers(`${OBO}UBERON_9999999`), false);
  assert.deepEqual(cells.coded('0000540'), [`${OBO}CL_0000540`]);
  const { title, license, date, iris } = cells.about;
  assert.deepEqual(
    { title, license, date, iris },
    {
      title: 'Cells, an excerpt',
      license: 'http://creativecommons.org/licenses/by/4.0/',
      date: '2025-01-08',
      iris: [`${OBO}cl/excerpt.json`],
    },
  );
});

test('pieces may end anywhere in a source', async () => {
  for (const name of ['cells.json', 'materials.ttl', 'methods.csv']) {
    const whole = await taken(name);
    for (const size of [3, 64])
      assert.equal(
        (await taken(name, size)).about.digest,
        whole.about.digest,
        `${name} in pieces of ${size}`,
      );
  }
});

test('a SKOS thesaurus has English labels, and broader terms of both directions', async () => {
  const materials = await taken('materials.ttl');
  assert.equal(materials.term(`${MATERIALS}metal`)?.label, 'metal');
  assert.deepEqual(materials.term(`${MATERIALS}metal`)?.synonyms, ['Metall']);
  assert.deepEqual(materials.parents(`${MATERIALS}metal`), [
    { relation: 'http://www.w3.org/2004/02/skos/core#broader', id: `${MATERIALS}material` },
  ]);
  assert.deepEqual(
    materials.children(`${MATERIALS}metal`).map(({ id }) => id),
    [`${MATERIALS}copper`, `${MATERIALS}steel`],
  );
  assert.equal(materials.term(`${MATERIALS}bakelite`)?.obsolete, true);
  assert.deepEqual(materials.about.iris, ['https://example.org/materials']);
  assert.equal(materials.about.title, 'Materials');
  assert.equal(materials.about.date, '2026-03-01');
});

test('a table of terms has several values in a cell, and columns for relations', async () => {
  const methods = await taken('methods.csv');
  assert.deepEqual(methods.term('METHOD:3')?.synonyms, ['LM', 'optical microscopy'].reverse());
  assert.equal(methods.term('METHOD:6')?.label, 'sequencing, short reads');
  assert.deepEqual(methods.parents('METHOD:3'), [
    { relation: 'METHOD:uses', id: 'METHOD:9' },
    { relation: 'http://www.w3.org/2000/01/rdf-schema#subClassOf', id: 'METHOD:2' },
  ]);
  assert.deepEqual(methods.term('METHOD:7')?.replacedBy, ['METHOD:6']);
});

test('a file of another format is refused', async () => {
  const take = (text: string, format: string) =>
    takeSnapshot([new TextEncoder().encode(text)], { source: 'x', format });
  await assert.rejects(take('{"a": 1}', 'obograph'), /x has no terms/);
  await assert.rejects(
    take('{"graphs": [{"nodes": [{"id":', 'obograph'),
    /expected a whole OBO Graph in JSON/,
  );
  await assert.rejects(
    take('{"graphs": [{"nodes": [{"id" 1}]}]}', 'obograph'),
    /expected a whole OBO Graph in JSON/,
  );
  await assert.rejects(take('<a> <b> .', 'skos'), /expected SKOS in Turtle/);
  await assert.rejects(
    take('label\nx', 'csv'),
    /expected a table of terms in CSV with a column for identifiers/,
  );
  await assert.rejects(take('id\nx', 'excel'), /expected obograph, skos, csv/);
  assert.throws(() => openSnapshot(readFileSync(resolve(folder, 'cells.json'))), /not a snapshot/);
});

test('an incomplete snapshot is refused', async () => {
  const { bytes } = await taken('cells.json');
  assert.throws(() => openSnapshot(bytes.slice(0, bytes.length - 40)), /not complete/);
});

test('a search finds labels, synonyms and unfinished words, below a term', async () => {
  const cells = await taken('cells.json');
  const found = (query: string, under?: string) =>
    searchTerms(cells, { query, under, limit: 4 }).map(({ label }) => label);
  assert.deepEqual(found('neuron'), ['neuron', 'motor neuron', 'sensory neuron', 'pyramidal neuron']);
  assert.deepEqual(found('nerve c'), ['neuron']);
  assert.deepEqual(found('PURK'), ['Purkinje cell']);
  assert.deepEqual(found('cell', `${OBO}CL_0000125`), ['microglial cell']);
  assert.deepEqual(found('neuroblast'), [], 'obsolete terms are not suggested');
  assert.deepEqual(found('', `${OBO}CL_0000125`), ['astrocyte', 'microglial cell', 'oligodendrocyte']);
  assert.deepEqual(found(`${OBO}CL_0000540`), ['neuron']);
});

test('the nearest term is found for a misspelled label and for a synonym', async () => {
  const cells = await taken('cells.json');
  assert.equal(cells.nearest('motor nueron')?.label, 'motor neuron');
  assert.equal(cells.nearest('Nerve cell')?.label, 'neuron');
  assert.equal(cells.nearest('CL:0000541'), undefined);
});

test('everything that was added is found again, whatever the ids', async () => {
  const id = fc.oneof(
    fc.webUrl(),
    fc.string({ minLength: 1 }),
    fc.constantFrom('a:', 'a:b', 'a:b_c', '/', '_'),
  );
  const label = fc.option(fc.string(), { nil: undefined });
  const term = fc.record({ id, label, synonyms: fc.array(fc.string()) });
  const all = fc.uniqueArray(term, { selector: (one) => one.id, minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(all, fc.array(fc.tuple(fc.nat(29), fc.nat(29))), async (terms, edges) => {
      const builder = new SnapshotBuilder();
      const links = edges.map(
        ([a, b]) => [terms[a % terms.length]!.id, terms[b % terms.length]!.id] as const,
      );
      for (const one of terms) builder.add(one);
      for (const [child, parent] of links) builder.link(child, 'r', parent);
      const snapshot = openSnapshot(await builder.finish({ iris: [], source: '', format: '' }));
      assert.equal(snapshot.size, terms.length);
      for (const { id, label } of terms) {
        assert.equal(snapshot.term(id)?.label, label);
        const parents = links.filter(([child]) => child === id).map(([, parent]) => parent);
        assert.deepEqual(new Set(snapshot.parents(id).map((link) => link.id)), new Set(parents));
        const children = links.filter(([, parent]) => parent === id).map(([child]) => child);
        assert.deepEqual(new Set(snapshot.children(id).map((link) => link.id)), new Set(children));
      }
    }),
    { numRuns: 50 },
  );
});
