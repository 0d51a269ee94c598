/** Records in other vocabularies: by the mappings of the schema, and by derivations in YAML. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#linkml/json.ts';
import { openSchemaText } from '../../core/schema/schema.ts';
import { readDerivations } from './derivations.ts';
import { mapRecord } from './profiles.ts';

const schema = await openSchemaText(
  `
id: https://example.org/books
name: books
imports: [linkml:types]
prefixes:
  linkml: https://w3id.org/linkml/
  schema: http://schema.org/
  dcterms: http://purl.org/dc/terms/
  ex: https://example.org/
default_prefix: ex
classes:
  Thing:
    attributes:
      pid: {identifier: true, range: uriorcurie, slot_uri: schema:identifier}
  Book:
    is_a: Thing
    class_uri: schema:Book
    attributes:
      name: {slot_uri: schema:name}
      written: {slot_uri: dcterms:created, range: date}
      authors: {slot_uri: ex:authors, exact_mappings: [schema:author], multivalued: true, range: Thing}
      parts: {slot_uri: dcterms:hasPart, multivalued: true, range: Part, inlined_as_list: true}
      kind: {}
      pages: {range: integer}
  Novel: {is_a: Book}
  Part:
    attributes:
      name: {slot_uri: schema:name}
`,
  'file:///books.yaml',
);
const record: JsonObject = {
  pid: 'ex:b',
  name: 'A book',
  written: '2001-02-03',
  authors: ['ex:ada', 'ex:ben'],
  parts: [{ name: 'One' }, {}],
  kind: 'n',
  pages: 3,
};
const novel = { className: 'Novel', record };

test('mappings alone: classes, slots, exact mappings, and titles of inlined objects', () => {
  const dc = mapRecord(schema, 'oai_dc', { publisher: 'We' }, novel, (iri) => iri.replace(/.*\//, ''));
  assert.deepEqual(Object.fromEntries(dc.values), {
    title: ['A book'],
    date: ['2001-02-03'],
    creator: ['ada', 'ben'],
    relation: ['One'],
    publisher: ['We'],
  });
  assert.deepEqual([dc.class, dc.lost, dc.missing], ['dc', ['parts'], []]);
  const page = mapRecord(schema, 'schema_org', {}, novel);
  assert.deepEqual([page.class, ...page.values.keys()], ['Book', 'name']);
});

test('DataCite requires a creator, a publisher and a year', () => {
  const { class: type, missing } = mapRecord(schema, 'datacite', {}, novel);
  assert.deepEqual([type, missing], ['Book', ['creators', 'publisher']]);
  assert.deepEqual(mapRecord(schema, 'datacite', { publisher: 'We' }, novel, (iri) => iri).missing, []);
});

test('derivations take precedence, for subclasses, too', () => {
  const profiles = {
    datacite: `
class_derivations:
  Text:
    populated_from: Book
    slot_derivations:
      creators: {value: The staff}
      dates: {hide: true}
      publicationYear: {populated_from: written}
      formats: {populated_from: kind, value_mappings: {n: novel}}
      sizes: {populated_from: pages}
`,
  };
  const { class: type, values } = mapRecord(schema, 'datacite', { profiles }, novel);
  assert.equal(type, 'Text');
  assert.deepEqual(Object.fromEntries(values), {
    creators: ['The staff'],
    publicationYear: ['2001-02-03'],
    formats: ['novel'],
    sizes: [3],
    titles: ['A book'],
  });
});

test('a value that is the name of a member of every object is not mapped', () => {
  const profiles = {
    datacite: `
class_derivations:
  Text:
    populated_from: Book
    slot_derivations:
      formats: {populated_from: kind, value_mappings: {n: novel}}
`,
  };
  for (const kind of ['constructor', '__proto__', 'toString']) {
    const odd = { className: 'Novel', record: { ...record, kind } };
    assert.deepEqual(mapRecord(schema, 'datacite', { profiles }, odd).values.get('formats'), [kind]);
  }
});

test('every problem of derivations is reported with its path', () => {
  const text = `
prefixes: {}
class_derivations:
  - name: dc
    populated_from: Buch
  - name: Text
    populated_from: Book
    joins: {}
    slot_derivations:
      creator: {expr: "{a}"}
      titel: {populated_from: name}
      title: {populated_from: titel}
      date: {populated_from: written, value: 1}
  - nameless: 1
`;
  const { problems } = readDerivations(schema, 'oai_dc', text);
  const slots = 'title, creator, subject, description, publisher, contributor, date, type, format';
  assert.deepEqual(
    problems.toSorted(),
    [
      "the key 'prefixes' is not supported, expected one of id, title, source_schema, target_schema, class_derivations, description, comments",
      "class_derivations.0.populated_from: the schema has no class 'Buch'",
      "class_derivations.1: the key 'joins' is not supported, expected one of name, populated_from, slot_derivations, description, comments",
      "class_derivations.1: Dublin Core has no class 'Text', expected one of dc",
      "class_derivations.1.slot_derivations.creator: the key 'expr' is not supported, expected one of name, populated_from, value, value_mappings, hide, description, comments",
      "class_derivations.1.slot_derivations.creator.populated_from: expected a slot of the class Book, found 'creator'",
      `class_derivations.1.slot_derivations.titel: Dublin Core has no slot 'titel', expected one of ${slots}, identifier, source, language, relation, coverage, rights`,
      "class_derivations.1.slot_derivations.title.populated_from: expected a slot of the class Book, found 'titel'",
      "class_derivations.1.slot_derivations.date: expected 'populated_from' or 'value', found both",
      "class_derivations.2: expected a mapping with a 'name'",
    ].sort(),
  );
  assert.match(readDerivations(schema, 'oai_dc', 'a: [')!.problems[0]!, /^line 1/);
});
