import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LinkmlError } from '../../errors.ts';
import { GRAPH_LIMITS, parseGraph } from './graph.ts';

const EX = '@prefix ex: <http://example.org/> .\n';

test('a document becomes descriptions by subject, without duplicates', () => {
  const { subjects } = parseGraph(`${EX}ex:a a ex:B ; ex:p "x", "x", "x"@en, 1, ex:c, [ ex:q true ] .`);
  const description = subjects.get('http://example.org/a');
  assert.deepEqual(
    description?.get('http://example.org/p')?.map((term) => term.kind),
    ['literal', 'literal', 'literal', 'iri', 'blank'],
  );
  assert.equal(subjects.size, 2);
});

test('long lists have no duplicates either', () => {
  const values = Array.from({ length: 100 }, (_, i) => i % 40).join(', ');
  const { subjects } = parseGraph(`${EX}ex:a ex:p ${values} .`);
  assert.equal(subjects.get('http://example.org/a')?.get('http://example.org/p')?.length, 40);
});

test('a base resolves relative IRIs, and a byte order mark is skipped', () => {
  assert.ok(
    parseGraph('\ufeff@base <http://example.org/> . <a> a <b> .').subjects.has('http://example.org/a'),
  );
});

const REFUSED: [name: string, text: string, message: RegExp][] = [
  ['an undeclared prefix', `${EX}ex:a ex:p no:x .`, /line 2, column 11: .*no:/],
  ['a statement that does not end', `${EX}ex:a ex:p 1`, /line 2, column 12: Expected punctuation/],
  ['text that is not a token', `${EX}ex:a ex:p § .`, /line 2, column 11: Unexpected "§"/],
  ['text that is not a token, behind a comment', `${EX}ex:a # §\n  ex:p § .`, /line 3, column 8/],
  ['JSON', '{"a": 1}', /line 1, column 1/],
  ['a file name', 'file:///etc/passwd', /line 1, column 1/],
  ['a relative IRI', '<a> <http://e/p> 1 .', /<a> is relative/],
  [
    'a prefix with an IRI that is not valid',
    '@base <http://e/> .\n@prefix n: <meta_data:> .',
    /an IRI is not valid/,
  ],
  ['a relative predicate', '<http://e/a> <p> 1 .', /<p> is relative/],
  ['a triple term', `${EX}ex:a ex:p <<( ex:a ex:b ex:c )>> .`, /triple terms/],
  ['a graph', `${EX}ex:g { ex:a ex:b ex:c }`, /line 2, column 6/],
  ['a long line that is wrong', `${EX}ex:a ex:p "${'x'.repeat(1_000_000)}`, /line 2, column 11: .{1,130}$/],
];

for (const [name, text, message] of REFUSED) {
  test(`refused, with where and why: ${name}`, () => {
    assert.throws(
      () => parseGraph(text),
      (error) =>
        error instanceof LinkmlError && error.code === 'body_malformed' && message.test(error.message),
    );
  });
}

/** Documents that would cost much if they were believed: each must be refused, or read, in bounded time. */
const BOMBS: [name: string, text: string, message: RegExp | undefined][] = [
  ['ten megabytes of literal', `${EX}ex:a ex:p "${'x'.repeat(10_000_000)}" .`, undefined],
  ['ten megabytes of escapes', `${EX}ex:a ex:p "${'\\u00e9'.repeat(1_600_000)}" .`, undefined],
  ['a literal without an end', `${EX}ex:a ex:p """${'x\n""'.repeat(2_000_000)}`, /line 2, column 11/],
  ['a comment without an end', `#${'x'.repeat(10_000_000)}`, undefined],
  ['comments and nothing else', '# x\n'.repeat(2_000_000), undefined],
  [
    'a million blank nodes',
    `${EX}ex:a ex:p ${'[],'.repeat(1_000_000)} 1 .`,
    new RegExp(`more than ${GRAPH_LIMITS.blankNodes}`),
  ],
  [
    'a million values',
    `${EX}ex:a ex:p ${'1,'.repeat(1_000_000)} 1 .`,
    new RegExp(`more than ${GRAPH_LIMITS.triples}`),
  ],
  ['a million nested nodes', `${EX}ex:a ex:p ${'[ ex:p '.repeat(1_000_000)}`, /more than/],
  ['a million nested lists', `${EX}ex:a ex:p ${'( '.repeat(1_000_000)}`, /more than/],
];

for (const [name, text, message] of BOMBS) {
  test(`bounded: ${name}`, { timeout: 20_000 }, () => {
    const parse = () => parseGraph(text);
    if (message) assert.throws(parse, (error) => error instanceof LinkmlError && message.test(error.message));
    else parse();
  });
}

test('long prefixes that are used often are refused before they fill the memory', () => {
  const prefix = `@prefix p: <https://example.org/${'x'.repeat(60_000)}> .\n`;
  const started = process.memoryUsage().heapUsed;
  assert.throws(() => parseGraph(`${prefix}${'p:a p:b p:c .\n'.repeat(5_000)}`), {
    code: 'body_malformed',
    message: /more than 3\d{6} characters/,
  });
  assert.ok(process.memoryUsage().heapUsed - started < 200 * 2 ** 20);
});

test('relative bases grow with each other, so they have a limit; absolute ones do not', () => {
  const body = (base: string, count: number) =>
    `${`@base <${base}> .\n`.repeat(count)}<a> a <https://example.org/T> .`;
  assert.equal(parseGraph(body('https://example.org/x/', 10_000)).subjects.size, 1);
  assert.throws(() => parseGraph(`@base <https://example.org/> .\n${body('x/'.repeat(50), 1000)}`), {
    code: 'body_malformed',
    message: 'The relative IRIs of @base have 100000 characters together, expected at most 65536.',
  });
});

test('an IRI that is too long is refused', () => {
  assert.throws(() => parseGraph(`<https://example.org/${'x'.repeat(70_000)}> a <https://example.org/T> .`), {
    code: 'body_malformed',
    message: /at most 65536/,
  });
});
