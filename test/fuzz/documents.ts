/** Documents that are deep, huge, compressed or wrong, for the bodies of requests. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { anyCharacter } from '#linkml-test/any-character.ts';

/** A body with the headers that describe it. */
export type Document = {
  readonly name: string;
  readonly type: string;
  readonly body: Buffer;
  readonly coding?: string;
};

const JSON_TYPE = 'application/json';
const TURTLE = 'text/turtle';
const PREFIXES =
  '@prefix labid: <https://example.org/laboratory/id/> . @prefix schema: <http://schema.org/> . ' +
  '@prefix lab: <https://example.org/laboratory/> . ';

const BYTES_OF_BOMB = 200 * 1024 * 1024;

/** The same for every round: too big to be made again and again. */
const BOMBS: readonly Document[] = [
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
].map(([coding, compress]) => ({
  name: `a bomb in ${coding}`,
  type: JSON_TYPE,
  coding: coding as string,
  body: (compress as typeof gzipSync)(Buffer.alloc(BYTES_OF_BOMB, ' ')),
}));

const depth = fc.constantFrom(10, 200, 1_000, 20_000, 500_000);
const count = fc.constantFrom(10, 1_000, 50_000);

function json(name: string, text: string): Document {
  return { name, type: JSON_TYPE, body: Buffer.from(text) };
}

function turtle(name: string, text: string): Document {
  return { name, type: TURTLE, body: Buffer.from(PREFIXES + text) };
}

const person = (more: string) => `{"pid":"labid:fuzz","name":"n","family_name":"f"${more}}`;

export const document: fc.Arbitrary<Document> = fc.oneof(
  depth.map((n) => json(`${n} arrays`, '['.repeat(n) + ']'.repeat(n))),
  depth.map((n) => json(`${n} arrays without an end`, '['.repeat(n))),
  depth.map((n) => json(`${n} objects`, `${'{"a":'.repeat(n)}1${'}'.repeat(n)}`)),
  depth.map((n) => json(`${n} arrays in a slot`, person(`,"affiliations":${'['.repeat(n)}${']'.repeat(n)}`))),
  count.map((n) => json(`${n} keys`, `{${Array.from({ length: n }, (_, i) => `"k${i}":${i}`).join()}}`)),
  count.map((n) => json(`${n} values`, person(`,"affiliations":[${Array(n).fill('"labid:a"').join()}]`))),
  count.map((n) => json(`${n} items`, `[${Array(n).fill(person('')).join()}]`)),
  count.map((n) =>
    json(`a name of ${n}`, `{"pid":"labid:long","name":"${'ä'.repeat(n)}","family_name":"f"}`),
  ),
  count.map((n) => json(`a pid of ${n}`, `{"pid":"labid:${'a'.repeat(n)}","name":"n","family_name":"f"}`)),
  fc.jsonValue({ maxDepth: 6 }).map((value) => json('any JSON', JSON.stringify(value))),
  fc.constantFrom(
    json('__proto__', person(',"__proto__":{"a":1},"constructor":1')),
    json('a key twice', person(',"name":"a","name":"b"')),
    json('a lone surrogate', person(',"email":"\\ud800"')),
    json('a huge number', person(`,"x":${'9'.repeat(100_000)}`)),
    json('a huge exponent', person(',"x":1e999999999')),
    json('a null character', person(',"email":"\\u0000"')),
    { name: 'no UTF-8', type: JSON_TYPE, body: Buffer.from([0x22, 0xff, 0xfe, 0x22]) },
    { name: 'a BOM', type: JSON_TYPE, body: Buffer.from('\ufeff{}') },
    { name: 'UTF-16', type: JSON_TYPE, body: Buffer.from(person(''), 'utf16le') },
  ),
  depth.map((n) => turtle(`${n} blank nodes`, `labid:a lab:b ${'[ lab:b '.repeat(n)}1${' ]'.repeat(n)} .`)),
  depth.map((n) => turtle(`${n} lists`, `labid:a lab:b ${'('.repeat(n)}${')'.repeat(n)} .`)),
  depth.map((n) => turtle(`${n} lists without an end`, `labid:a lab:b ${'('.repeat(n)}`)),
  count.map((n) =>
    turtle(`${n} triples`, `labid:a a lab:Person ; lab:b ${Array.from({ length: n }, (_, i) => i).join()} .`),
  ),
  count.map((n) =>
    turtle(`${n} subjects`, Array.from({ length: n }, (_, i) => `labid:a${i} a lab:Person .`).join(' ')),
  ),
  count.map((n) =>
    turtle(
      `${n} prefixes`,
      Array.from({ length: n }, (_, i) => `@prefix p${i}: <http://x/${i}> .`).join(' '),
    ),
  ),
  count.map((n) => turtle(`a literal of ${n}`, `labid:a schema:name """${'x\n'.repeat(n)}""" .`)),
  fc
    .constantFrom(
      'labid:a schema:name "',
      'labid:a a <',
      '@base <x> . <a> a <b> .',
      '<< labid:a a lab:b >> a lab:c .',
      '{ labid:a a lab:b }',
      '"\\uD800"',
    )
    .map((text) => turtle('broken Turtle', text)),
  fc.string({ unit: anyCharacter, maxLength: 400 }).map((text) => turtle('any text', text)),
  fc.constantFrom(...BOMBS),
  fc.constantFrom('gzip', 'deflate', 'br', 'zstd', 'gzip, gzip').map((coding) => ({
    ...json(`not ${coding}`, person('')),
    coding,
  })),
  fc.constantFrom(1, 100, 5_000).map((n) => ({
    name: 'a truncated archive',
    type: JSON_TYPE,
    coding: 'gzip',
    body: gzipSync(Buffer.from(person(`,"x":"${'y'.repeat(n)}"`))).subarray(0, 15),
  })),
);
