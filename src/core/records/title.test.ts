import assert from 'node:assert/strict';
import { test } from 'node:test';
import { titleSlotsAmong } from './title.ts';

test('Slots hold titles in the order of their properties, else by their names', () => {
  const slots = [
    { name: 'title', uri: 'http://example.org/title' },
    { name: 'called', uri: 'https://schema.org/name' },
    { name: 'preferred', uri: 'http://www.w3.org/2004/02/skos/core#prefLabel' },
  ];
  const names = (some: typeof slots) => titleSlotsAmong(some).map(({ name }) => name);
  assert.deepEqual(names(slots), ['preferred', 'called']);
  assert.deepEqual(names(slots.slice(0, 1)), ['title']);
  assert.deepEqual(names([]), []);
});
