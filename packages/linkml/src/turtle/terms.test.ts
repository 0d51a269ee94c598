import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Parser } from 'n3';
import { curieTerm, iriTerm, isIri, prefixLines, prefixTable } from './terms.ts';

const prefixes = prefixTable(
  new Map([
    ['ex', 'https://example.org/ns/'],
    ['deep', 'https://example.org/ns/deep/'],
    ['ncit', 'http://purl.obolibrary.org/obo/NCIT_'],
    ['obo', 'http://purl.obolibrary.org/obo/'],
    ['hash', 'https://example.org/v#'],
    ['_bad', 'https://bad.invalid/'],
  ]),
);

const IRIS: [iri: string, term: string][] = [
  ['https://example.org/ns/a', 'ex:a'],
  ['https://example.org/ns/', 'ex:'],
  ['https://example.org/ns/a.b-c_1', 'ex:a.b-c_1'],
  ['https://example.org/ns/0', 'ex:0'],
  ['https://example.org/ns/a:b', 'ex:a:b'],
  ['https://example.org/ns/deep/a', 'deep:a'],
  ['https://example.org/ns/other/a', '<https://example.org/ns/other/a>'],
  ['https://example.org/ns/a.', '<https://example.org/ns/a.>'],
  ['https://example.org/ns/-a', '<https://example.org/ns/-a>'],
  ['https://example.org/ns/a?b=1', '<https://example.org/ns/a?b=1>'],
  ['https://example.org/ns/é', '<https://example.org/ns/é>'],
  ['https://example.org/v#x', 'hash:x'],
  ['http://purl.obolibrary.org/obo/NCIT_C1', 'ncit:C1'],
  ['http://purl.obolibrary.org/obo/BFO_1', 'obo:BFO_1'],
  ['https://bad.invalid/a', '<https://bad.invalid/a>'],
  ['http://www.w3.org/2001/XMLSchema#float', 'xsd:float'],
];

for (const [iri, term] of IRIS) {
  test(`<${iri}> is written ${term}, and read back`, () => {
    const used = new Set<string>();
    assert.equal(iriTerm(iri, prefixes, used), term);
    const [quad] = new Parser({ format: 'Turtle' }).parse(
      `${prefixLines(prefixes, used)} ${term} a ${term} .`,
    );
    assert.equal(quad?.subject.value, iri);
  });
}

test('a CURIE stays as it is if Turtle can read it', () => {
  const used = new Set<string>();
  assert.equal(curieTerm('ex:a', prefixes, used), 'ex:a');
  for (const text of ['ex:a/b', 'no:a', '_bad:a', 'noColon', 'exx', ':a', 'ex:a b'])
    assert.equal(curieTerm(text, prefixes, used), undefined);
  assert.deepEqual([...used], ['ex']);
});

test('only absolute IRIs without forbidden characters are IRIs', () => {
  for (const iri of ['http://a', 'urn:x:y', 'nope:local', 'mailto:a@b']) assert.ok(isIri(iri), iri);
  for (const text of ['', 'x', ':x', '_:b', 'http://a b', 'http://a>', 'http://a"', '1a:b', 'a:\\b'])
    assert.ok(!isIri(text), text);
});
