import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#linkml/json.ts';
import { openElements } from '../../../test/support/open-text.ts';
import { linksOf } from './links.ts';

const schema = await openElements(`
classes:
  Thing:
    attributes:
      pid: { identifier: true, range: uriorcurie, required: true }
      kind: { designates_type: true, range: uriorcurie }
      relations: { range: Thing, multivalued: true, inlined: true }
  Person:
    is_a: Thing
    attributes:
      friends: { range: Person, multivalued: true }
      home: { range: Place, inlined: true }
      homepage: { range: uri }
      keeps: { any_of: [{ range: Person }, { range: integer }], range: Any }
  Any: { class_uri: linkml:Any }
  Place:
    attributes:
      name: {}
      owner: { range: Person }
`);

const links = (record: JsonObject) =>
  linksOf(schema, 'Person', record).map(({ iri, slot, path }) => [iri.split('/').at(-1), slot, path]);

test('references are found at any depth, with their slots and paths', () => {
  const record = {
    pid: 'ex:a',
    friends: ['ex:b', 'https://example.org/ns/c'],
    home: { name: 'x', owner: 'ex:d' },
  };
  assert.deepEqual(links(record), [
    ['b', 'friends', '/friends/0'],
    ['c', 'friends', '/friends/1'],
    ['d', 'owner', '/home/owner'],
  ]);
});

test('URIs that are values are not references', () => {
  assert.deepEqual(links({ pid: 'ex:a', homepage: 'https://example.org/ns/b' }), []);
});

test('placeholders of inlined records are references', () => {
  assert.deepEqual(links({ pid: 'ex:a', relations: { 'ex:b': { pid: 'ex:b' } } }), [
    ['b', 'relations', '/relations/ex:b'],
  ]);
});

test('a slot with several ranges holds a reference if its value can be one', () => {
  assert.deepEqual(links({ pid: 'ex:a', keeps: 'ex:b' }), [['b', 'keeps', '/keeps']]);
  assert.deepEqual(links({ pid: 'ex:a', keeps: 5 }), []);
});

test('a record does not link to itself, and not to what resolves to nothing', () => {
  assert.deepEqual(links({ pid: 'ex:a', friends: ['ex:a', 'nowhere:x'] }), []);
});
