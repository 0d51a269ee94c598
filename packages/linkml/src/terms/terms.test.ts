import assert from 'node:assert/strict';
import { test } from 'node:test';
import { smallVocabularies } from '../../test/vocabularies.ts';
import { type CheckOptions, type LinkmlSchema, openLinkml } from '../linkml.ts';
import type { Terms } from './vocabulary.ts';

const terms = await smallVocabularies();

const PREFIXES = `
  ex: https://example.org/ns/
  CL: http://purl.obolibrary.org/obo/CL_
  UBERON: http://purl.obolibrary.org/obo/UBERON_
  BFO: http://purl.obolibrary.org/obo/BFO_
  obo: http://purl.obolibrary.org/obo/
  rdfs: http://www.w3.org/2000/01/rdf-schema#
  skos: http://www.w3.org/2004/02/skos/core#
  mat: https://example.org/materials/
  METHOD: https://example.org/methods/`;

async function open(elements: string, given: Terms | undefined = terms): Promise<LinkmlSchema> {
  const head = `id: https://example.org/s\nname: s\ndefault_prefix: ex\nprefixes:${PREFIXES}\n`;
  return await openLinkml(head + elements, given && { terms: given });
}

/** A schema with one class, whose slot `term` has the values of an enum. */
async function withEnum(definition: string, given?: Terms): Promise<LinkmlSchema> {
  return await open(
    `classes: {Item: {attributes: {term: {range: E}}}}\nenums:\n  E: ${definition}\n  Base: {permissible_values: {other: {}}}\n  Glia: {reachable_from: {source_ontology: obo:cl, source_nodes: [CL:0000125]}}\n`,
    given,
  );
}

/** The types of the problems of a value, or `ok`. */
function verdict(schema: LinkmlSchema, value: unknown, options: CheckOptions = {}): string {
  const checked = schema.check('Item', { term: value }, options);
  return checked.valid ? 'ok' : checked.problems.map(({ type }) => type).join();
}

async function verdicts(
  definition: string,
  cases: Readonly<Record<string, string>>,
  given?: Terms,
): Promise<LinkmlSchema> {
  const schema = await withEnum(definition, given);
  for (const [value, expected] of Object.entries(cases))
    assert.equal(verdict(schema, value), expected, `${definition} and ${value}`);
  return schema;
}

function messages(schema: LinkmlSchema, record: unknown): string[] {
  const checked = schema.check('Item', record);
  return checked.valid ? [] : checked.problems.map(({ loc, msg }) => `${loc.join('.')} | ${msg}`);
}

const NEURON = 'source_ontology: "obo:cl", source_nodes: [CL:0000540]';

test('terms below a node are values: by CURIE or IRI, without the node, other terms and obsolete ones', async () => {
  const schema = await verdicts(`{reachable_from: {${NEURON}}}`, {
    'CL:0000100': 'ok',
    'http://purl.obolibrary.org/obo/CL_0000100': 'ok',
    'CL:0000540': 'term_outside',
    'CL:0000127': 'term_outside',
    'CL:0000338': 'term_obsolete',
    'CL:9999999': 'term_unknown',
    'cl:0000100': 'term_unknown',
    'motor neuron': 'term_unknown',
  });
  assert.deepEqual(schema.warnings, []);
  assert.equal(verdict(schema, 5), 'enum');
  assert.equal(verdict(schema, 'CL:0000100', { strict: true }), 'ok');
});

test('messages have the term, what was expected, and what to use instead', async () => {
  const schema = await withEnum(`{reachable_from: {${NEURON}}}`);
  const of = (term: string) => messages(schema, { term })[0];
  assert.equal(
    of('CL:0000127'),
    'term | term: found "CL:0000127" (astrocyte), expected a term below CL:0000540 (neuron) (E).',
  );
  assert.equal(
    of('CL:0000338'),
    'term | term: found "CL:0000338" (obsolete neuroblast), which is obsolete. Use CL:0000540 (neuron) instead.',
  );
  assert.equal(
    of('motor nueron'),
    'term | term: found "motor nueron", which is not a term of the vocabulary, expected a term below CL:0000540 (neuron) (E). Did you mean CL:0000100 (motor neuron)?',
  );
});

test('a query has a direction, relations, and includes its nodes if it says so', async () => {
  await verdicts(`{reachable_from: {${NEURON}, include_self: true}}`, { 'CL:0000540': 'ok' });
  await verdicts(`{reachable_from: {${NEURON}, is_direct: true}}`, { 'CL:0000100': 'ok' });
  await verdicts('{reachable_from: {source_nodes: [CL:0002319], is_direct: true}}', {
    'CL:0000540': 'ok',
    'CL:0000100': 'term_outside',
  });
  await verdicts(`{reachable_from: {${NEURON}, traverse_up: true}}`, {
    'CL:0002319': 'ok',
    'CL:0000000': 'ok',
    'CL:0000540': 'term_outside',
    'CL:0000100': 'term_outside',
  });
  await verdicts(`{reachable_from: {${NEURON}, traverse_up: true, is_direct: true, include_self: true}}`, {
    'CL:0002319': 'ok',
    'CL:0000540': 'ok',
    'CL:0000000': 'term_outside',
  });
  await verdicts('{reachable_from: {source_nodes: [UBERON:0000955], relationship_types: [BFO:0000050]}}', {
    'CL:0000121': 'ok',
    'UBERON:0002037': 'ok',
    'UBERON:0002107': 'term_outside',
  });
  await verdicts(
    '{reachable_from: {source_nodes: [UBERON:0000955], relationship_types: ["rdfs:subClassOf"]}}',
    { 'CL:0000121': 'term_outside' },
  );
  await verdicts('{reachable_from: {source_ontology: "obo:cl"}}', {
    'UBERON:0000955': 'ok',
    'CL:0000338': 'term_obsolete',
  });
});

test('a vocabulary is found by its name, by its IRI and by the nodes', async () => {
  for (const source of ['obo:cl', 'CL', 'http://purl.obolibrary.org/obo/cl.owl', 'bioregistry:other'])
    await verdicts(`{reachable_from: {source_ontology: "${source}", source_nodes: [CL:0000540]}}`, {
      'CL:0000100': 'ok',
      'CL:0000127': 'term_outside',
    });
  await verdicts(
    '{reachable_from: {source_ontology: "https://example.org/materials", source_nodes: [mat:metal]}}',
    { 'mat:stainless': 'ok', 'mat:nylon': 'term_outside' },
    { things: terms.materials },
  );
  await verdicts('{code_set: "ex:methods"}', { 'METHOD:5': 'ok', 'METHOD:7': 'term_obsolete' });
});

test('sets are joined and taken away, in any depth', async () => {
  await verdicts(
    `{include: [{reachable_from: {${NEURON}}}, {concepts: [CL:0000236]}, {inherits: [Base]}], minus: [{reachable_from: {source_nodes: [CL:0000100], include_self: true}}, {concepts: [CL:0000101]}]}`,
    {
      'CL:0000099': 'ok',
      'CL:0000236': 'ok',
      other: 'ok',
      'CL:0000100': 'term_outside',
      'CL:0000101': 'term_outside',
      'CL:0000084': 'term_outside',
    },
  );
  await verdicts(
    '{inherits: [Glia], minus: [{concepts: [CL:0000127]}], permissible_values: {none: {}, nerve: {meaning: CL:0000540}}}',
    {
      'CL:0000128': 'ok',
      'CL:0000127': 'term_outside',
      none: 'ok',
      nerve: 'ok',
      'CL:0000540': 'ok',
      other: 'term_unknown',
    },
  );
});

test('a query removes listed values, and the enum stays a list', async () => {
  const schema = await verdicts(
    '{permissible_values: {"CL:0000100": {}, glia: {meaning: CL:0000125}, nerve: {meaning: CL:0000540}}, minus: [{reachable_from: {source_nodes: [CL:0000540], include_self: true}}]}',
    { glia: 'ok', 'CL:0000100': 'enum', nerve: 'enum' },
  );
  assert.deepEqual([...schema.enums.get('E')!.values.keys()], ['glia']);
  assert.equal(schema.enums.get('E')!.open, false);
});

test('a term matches by its identifier, and concepts need no vocabulary', async () => {
  await verdicts('{matches: {identifier_pattern: "^CL:00001", source_ontology: "obo:cl"}}', {
    'CL:0000100': 'ok',
    'CL:0000540': 'term_outside',
    'CL:0000199': 'term_unknown',
  });
  const cases = { 'CL:0000100': 'ok', 'CL:0000101': 'term_unknown' };
  await verdicts('{concepts: [CL:0000100, CL:0000540]}', cases, {});
});

test('a formula says how terms are written', async () => {
  const below = `reachable_from: {${NEURON}}`;
  const [curie, iri] = ['CL:0000100', 'http://purl.obolibrary.org/obo/CL_0000100'];
  const forms = { [curie]: 'term_unknown', [iri]: 'term_unknown', '0000100': 'term_unknown' };
  await verdicts(`{pv_formula: CURIE, ${below}}`, { ...forms, [curie]: 'ok' });
  await verdicts(`{pv_formula: URI, ${below}}`, { ...forms, [iri]: 'ok' });
  await verdicts(`{pv_formula: CODE, ${below}}`, { ...forms, '0000100': 'ok', '0000127': 'term_outside' });
  const labels = {
    ...forms,
    'motor neuron': 'ok',
    'Motor neuron': 'term_unknown',
    astrocyte: 'term_outside',
  };
  const schema = await verdicts(`{pv_formula: LABEL, ${below}}`, labels);
  assert.match(messages(schema, { term: 'motor nueron' })[0]!, /Did you mean "motor neuron"\?$/);
  await verdicts('{pv_formula: LABEL, concepts: [CL:0000100]}', { ...forms, 'motor neuron': 'ok' });
});

test('a schema that names obsolete or unknown terms opens with warnings', async () => {
  const schema = await withEnum(
    '{reachable_from: {source_ontology: "obo:cl", source_nodes: [CL:0000338, CL:77]}, pv_formula: FHIR_CODING}',
  );
  assert.deepEqual(
    schema.warnings.map(({ type, msg }) => `${type} | ${msg}`),
    [
      'not_enforced | enums.E.pv_formula: FHIR_CODING is not enforced; terms are CURIEs or IRIs.',
      'term_obsolete | enums.E.reachable_from: the term CL:0000338 is obsolete. It is replaced by CL:0000540.',
      'term_unknown | enums.E.reachable_from: CL:77 is not a term of the vocabulary.',
    ],
  );
});

test('without a snapshot an enum is reported and accepts any string, but not if the check is strict', async () => {
  const schema = await withEnum(`{reachable_from: {${NEURON}}}`, {});
  const [missing] = schema.warnings;
  assert.deepEqual([missing?.type, missing?.vocabularies], ['vocabulary_missing', ['obo:cl']]);
  assert.match(missing!.msg, /enums\.E: its values are not listed in the schema/);
  assert.equal(verdict(schema, 'anything'), 'ok');
  assert.equal(verdict(schema, 'CL:0000100', { strict: true }), 'vocabulary_missing');
  const expanded = await withEnum(
    `{reachable_from: {${NEURON}}, permissible_values: {"CL:0000100": {}}}`,
    {},
  );
  assert.equal(verdict(expanded, 'CL:0000100', { strict: true }), 'ok');
  assert.equal(verdict(expanded, 'CL:0000101'), 'enum');
});

const BOUND = `
classes:
  Term: {attributes: {id: {range: uriorcurie}, name: {slot_uri: skos:prefLabel}}}
  Plain: {attributes: {id: {range: uriorcurie}, label: {}}}
  Many: {attributes: {ids: {multivalued: true}, labels: {multivalued: true, implements: ["rdfs:label"]}}}
  Sample: {attributes: {cell: {range: Plain, inlined: true}}}
  Item:
    attributes:
      cell: {range: Term, inlined: true, bindings: [{binds_value_of: id, range: Neuron, obligation_level: REQUIRED}]}
      plain: {range: Plain, inlined_as_list: true, multivalued: true, bindings: [{binds_value_of: id, range: Listed}]}
      deep: {range: Sample, inlined: true, bindings: [{binds_value_of: cell.id, range: Neuron}]}
      many: {range: Many, inlined: true, bindings: [{binds_value_of: ids, range: Neuron}]}
      text: {bindings: [{range: Neuron}]}
      advice: {range: Term, inlined: true, bindings: [{binds_value_of: id, range: Neuron, obligation_level: RECOMMENDED}]}
      either: {any_of: [{range: Plain}, {range: string}], inlined: true, bindings: [{binds_value_of: id, range: Neuron}, {binds_value_of: id, range: Both}]}
      inner: {range: Item, inlined: true}
enums:
  Both: {permissible_values: {motor: {meaning: CL:0000100}}}
  Neuron: {reachable_from: {source_ontology: "obo:cl", source_nodes: [CL:0000540]}}
  Listed: {permissible_values: {glia: {meaning: CL:0000127}, gone: {meaning: CL:7654321}}}
`;

test('bindings hold terms and their labels together, at any depth', async () => {
  const schema = await open(BOUND);
  const problems = (record: unknown) => {
    const checked = schema.check('Item', record);
    return checked.valid ? 'ok' : checked.problems.map(({ type, loc }) => `${loc.join('.')}: ${type}`).join();
  };
  const cases: [unknown, string][] = [
    [{ cell: { id: 'CL:0000100', name: 'Motor-Neuron' } }, 'ok'],
    [{ cell: { id: 'CL:0000100' } }, 'ok'],
    [{ cell: { name: 'x' } }, 'cell.id: missing'],
    [{ cell: { id: 'CL:0000100', name: 'interneuron' } }, 'cell.name: label_mismatch'],
    [{ cell: { id: 'CL:0000100', name: 'motoneuron' } }, 'cell.name: label_mismatch'],
    [{ cell: { id: 'CL:0000127', name: 'astrocyte' } }, 'cell.id: term_outside'],
    [
      { inner: { inner: { cell: { id: 'CL:0000100', name: 'x' } } } },
      'inner.inner.cell.name: label_mismatch',
    ],
    [
      {
        plain: [
          { id: 'CL:0000127', label: 'astrocyte' },
          { id: 'glia', label: 'any' },
        ],
      },
      'ok',
    ],
    [{ plain: [{ id: 'CL:0000127', label: 'glial cell' }] }, 'plain.0.label: label_mismatch'],
    [{ plain: [{ id: 'CL:7654321' }] }, 'plain.0.id: term_unknown'],
    [{ deep: { cell: { id: 'CL:0000100', label: 'motor neuron' } } }, 'ok'],
    [{ deep: { cell: { id: 'CL:0000100', label: 'x' } } }, 'deep.cell.label: label_mismatch'],
    [{ deep: { cell: { id: 'CL:0000127' } } }, 'deep.cell.id: term_outside'],
    [{ many: { ids: ['CL:0000100', 'CL:0000101'], labels: ['motor neuron', 'sensory neuron'] } }, 'ok'],
    [{ many: { ids: ['CL:0000100', 'CL:0000127'] } }, 'many.ids.1: term_outside'],
    [{ many: { ids: ['CL:0000099'], labels: ['motor neuron'] } }, 'many.labels: label_mismatch'],
    [{ text: 'CL:0000100' }, 'ok'],
    [{ text: 'CL:0000127' }, 'text: term_outside'],
    [{ advice: { id: 'CL:0000127', name: 'x' } }, 'ok'],
    [{ either: 'CL:0000127' }, 'ok'],
    [{ either: { id: 'CL:0000100' } }, 'ok'],
    [{ either: { id: 'CL:0000101' } }, 'either.id: enum'],
    [{ either: { id: 'motor' } }, 'either.id: term_unknown'],
  ];
  for (const [record, expected] of cases) assert.equal(problems(record), expected, JSON.stringify(record));
  assert.deepEqual(messages(schema, { cell: { id: 'CL:0000100', name: 'motoneuron' } }), [
    'cell.name | name: found "motoneuron", a synonym, for CL:0000100, expected "motor neuron".',
  ]);
  assert.deepEqual(messages(schema, { cell: { id: 'CL:0000999', name: 'interneuron' } }), [
    'cell.id | id: found "CL:0000999", which is not a term of the vocabulary, expected a term below CL:0000540 (neuron) (Neuron). Did you mean CL:0000099 (interneuron)?',
  ]);
});

test('a binding without a snapshot is reported and only enforced by a strict check', async () => {
  const schema = await open(BOUND, {});
  const record = { cell: { id: 'CL:1', name: 'x' } };
  assert.deepEqual(new Set(schema.warnings.map(({ type }) => type)), new Set(['vocabulary_missing']));
  assert.match(schema.warnings.at(-1)!.msg, /the binding to Neuron is not enforced/);
  assert.equal(schema.check('Item', record).valid, true);
  const strict = schema.check('Item', record, { strict: true });
  assert.deepEqual(strict.valid ? [] : strict.problems.map(({ type }) => type), ['vocabulary_missing']);
});
