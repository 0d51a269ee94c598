/** Records in other vocabularies, by the mappings of the schema. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#linkml/json.ts';
import { openSchemaText } from '../../core/schema/schema.ts';
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
      doi: {slot_uri: dcterms:identifier}
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
  doi: 'doi:10.1234/a-book',
};
const novel = { className: 'Novel', record };

test('mappings alone: classes, slots, exact mappings, and titles of inlined objects', () => {
  const dc = mapRecord(schema, 'oai_dc', { publisher: 'We' }, novel, (iri) => iri.replace(/.*\//, ''));
  assert.deepEqual(Object.fromEntries(dc.values), {
    title: ['A book'],
    identifier: ['doi:10.1234/a-book'],
    date: ['2001-02-03'],
    creator: ['ada', 'ben'],
    relation: ['One'],
    publisher: ['We'],
  });
  assert.deepEqual([dc.class, dc.isExpressed], ['dc', true]);
  const page = mapRecord(schema, 'schema_org', {}, novel);
  assert.deepEqual([page.class, ...page.values.keys()], ['Book', 'name']);
});

test('DataCite requires a creator, a publisher and a year', () => {
  const { class: type, isExpressed } = mapRecord(schema, 'datacite', {}, novel);
  assert.deepEqual([type, isExpressed], ['Book', false]);
  const published = mapRecord(schema, 'datacite', { publisher: 'We' }, novel, (iri) => iri);
  assert.equal(published.isExpressed, true);
  assert.deepEqual(published.values.get('identifier'), ['doi:10.1234/a-book']);
});
