import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publicUrls } from './signposting.ts';

const ORIGIN = 'https://records.example.org/below';
const BASE = 'https://data.example.org/id/';

/** Pid → the URL of its page, behind the collection. */
const PAGES: readonly (readonly [pid: string, page: string])[] = [
  ['ex:a', '/resource/ex:a'],
  ['https://example.org/1', '/resource/https:%2F%2Fexample.org%2F1'],
  ['ex:a//b', '/resource/ex:a%2F%2Fb'],
  ['ex:a/./b', '/resource/ex:a%2F.%2Fb'],
  ['ex:a/../b', '/resource/ex:a%2F..%2Fb'],
  ['ex:a/..', '/resource/ex:a%2F..'],
  ['ex:..', '/resource/ex:..'],
  ['ex:a?b#c%2F d+e', '/resource/ex:a%3Fb%23c%252F%20d%2Be'],
  // These would leave the page.
  ['ex:a/../../b', '/resource?pid=ex:a%2F..%2F..%2Fb'],
  ['ex:a//../../b', '/resource?pid=ex:a%2F%2F..%2F..%2Fb'],
  ['ex:a/./../../b', '/resource?pid=ex:a%2F.%2F..%2F..%2Fb'],
  ['../b', '/resource?pid=..%2Fb'],
  ['..', '/resource?pid=..'],
  ['.', '/resource?pid=.'],
];

for (const [pid, page] of PAGES) {
  test(`the page of ${pid} is ${page}`, () => {
    assert.equal(publicUrls(ORIGIN, 'a/b').ofRecord(pid), `${ORIGIN}/-/a%2Fb${page}`);
  });
}

for (const name of ['ada', 'a//b', 'ü', 'a b', 'a/', '', 'a+b'])
  test(`a record is found at its IRI with ${JSON.stringify(name)}`, () => {
    assert.equal(publicUrls(ORIGIN, 'c', BASE).ofRecord('ex:x', BASE + name), BASE + name);
  });

for (const name of [
  'a?b',
  'a#b',
  'a%2Fb',
  'a%20b',
  'a%',
  '../a',
  'a/./b',
  'a/..',
  '%2e%2e/a',
  'a\\b',
  'a\tb',
  'a ',
])
  test(`a client would change the IRI with ${JSON.stringify(name)}, so the record is found at its page`, () => {
    assert.equal(publicUrls(ORIGIN, 'c', BASE).ofRecord('ex:x', BASE + name), `${ORIGIN}/-/c/resource/ex:x`);
  });

test('the URL of a rehearsal is one for every name of a collection', () => {
  assert.equal(publicUrls('/below', 'ü a/b?').catalog, '/below/-/%C3%BC%20a%2Fb%3F/catalog');
});
