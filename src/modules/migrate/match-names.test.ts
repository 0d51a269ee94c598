import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findRenames, type NamedElement } from './match-names.ts';

const element = (name: string, more: Partial<NamedElement> = {}): NamedElement => ({
  name,
  spellings: [name],
  uri: undefined,
  aliases: [],
  exactMappings: [],
  ...more,
});
const many = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => element(`${prefix}${n}`));

test('of very many elements, only the names that a schema states are paired', () => {
  const removed = [...many('former', 2000), element('surname'), element('given_name')];
  const added = [...many('other', 2000), element('family', { aliases: ['surname'] }), element('givenname')];
  let compared = 0;
  const likeness = () => {
    compared += 1;
    return 1;
  };
  assert.deepEqual(findRenames(removed, added, likeness), [
    { from: 'surname', to: 'family', evidence: 'aliases' },
  ]);
  assert.equal(compared, 0);
  assert.deepEqual(findRenames(removed.slice(-1), added.slice(-1), likeness), [
    { from: 'given_name', to: 'givenname', evidence: 'likeness' },
  ]);
});

test('a name that two elements state pairs neither', () => {
  const added = [element('a', { aliases: ['former'] }), element('b', { aliases: ['former', 'former'] })];
  assert.deepEqual(
    findRenames([element('former')], added, () => 0),
    [],
  );
});
