/** Values come back as they went in: all of Unicode, all numbers, whatever YAML or SQL would make of them. */
import assert from 'node:assert/strict';
import { canonicalJson, parseJson } from '#linkml/json.ts';
import type { RecordStore } from '../store.ts';
import { BY, type Case, schemaTypeOf } from './subject.ts';

/** Sets of values, each a case: a sentence, and the texts of JSON values. */
const VALUES: readonly [string, readonly string[]][] = [
  [
    'texts of every plane',
    ['"Ünï¢ödé"', '"日本語"', '"🚀𝔘𐍈"', '"\u{10fffd}"', '"e\u0301"', '"\u200d\u202e"'],
  ],
  [
    'texts that look like other values',
    ['no', 'Yes', 'on', '~', 'null', 'true', '1e3', '1.0', '0x1F', '010', '1_000'].map((text) =>
      JSON.stringify(text),
    ),
  ],
  [
    'texts that look like dates and times',
    ['2024-01-01', '2024-01-01T10:00:00Z', '12:30:45', '2001-12-14t21:59:43.10-05:00'].map((text) =>
      JSON.stringify(text),
    ),
  ],
  [
    'texts that look like YAML',
    [
      '- a',
      'a: b',
      '? x',
      '#c',
      'a #b',
      '{x}',
      '[y]',
      '&a',
      '*b',
      '!t',
      '|',
      '>',
      '%',
      '@',
      '`',
      '---',
      '...',
      '<<',
      '=',
    ].map((text) => JSON.stringify(text)),
  ],
  [
    'texts with quotes and backslashes',
    ["it's", '"quoted"', 'back\\slash', '\\n', "'"].map((text) => JSON.stringify(text)),
  ],
  [
    'blanks at the ends and in the middle',
    ['', ' ', ' a', 'a ', 'a  b', '\t', 'a\tb'].map((text) => JSON.stringify(text)),
  ],
  [
    'texts of many lines',
    ['a\nb', 'a\n', '\na', 'a\n\nb', 'a \nb', 'a\n b', '\n', 'a\r\nb', 'a\u2028b\u2029c\u0085d'].map((text) =>
      JSON.stringify(text),
    ),
  ],
  [
    'control characters',
    ['\0', '\x01\x02\x1f', '\x7f', '\x1b[0m', '\x85', '\ufeff', '\ufffe'].map((text) => JSON.stringify(text)),
  ],
  ['very long lines', [`"${'word '.repeat(500)}end"`, `"${'x'.repeat(5000)}"`, `"${'a\\"b '.repeat(300)}"`]],
  [
    'numbers with all their digits',
    ['0', '-1', '3.5', '5.0', '1e+21', '1e-07', '123456789012345678901234567890', '0.1', '1e+16', '-0.0'],
  ],
  ['booleans, nulls and empty collections', ['true', 'false', 'null', '[]', '{}', '[[],{}]']],
  ['nested collections', ['[[1,[2,[3]]],{"a":{"b":{"c":[{"d":"e"}]}}}]', '{"x":[{"a":1,"b":2},{"c":[]}]}']],
  [
    'unusual keys',
    [
      '{"":1,"~":2,"yes":3,"1":4,"a: b":5,"- x":6,"ключ":7,"line\\nbreak":8,"__proto__":9}',
      `{"${'k'.repeat(200)}":"long"}`,
    ],
  ],
];

export function textContract(it: Case): void {
  for (const [what, values] of VALUES) {
    it(`keeps ${what}`, async (store, reopen) => {
      const text = canonicalJson(
        parseJson(`{"pid":"ex:a","schema_type":"ex:Person","values":[${values.join(',')}]}`),
      );
      await putText(store, text);
      assert.equal((await store.get('https://example.org/a'))?.json, text);
      const again = await reopen();
      assert.equal((await again.get('https://example.org/a'))?.json, text);
    });
  }

  it('keeps a record of a megabyte', async (store, reopen) => {
    const text = canonicalJson({
      note: 'lorem ipsum '.repeat(90_000),
      pid: 'ex:a',
      schema_type: 'ex:Person',
    });
    await putText(store, text);
    assert.equal((await (await reopen()).get('https://example.org/a'))?.json, text);
  });

  it('reads schema_type at its place among the keys, whatever keys there are', async (store) => {
    for (const key of ['a', 'z', 'schema', 'schema_typ', 'schema_type2', 'schema_typf', 'ß']) {
      const text = canonicalJson({
        [key]: { schema_type: 'ex:Inner' },
        pid: 'ex:a',
        schema_type: 'ex:Person',
      });
      await putText(store, text);
      assert.equal((await store.get('https://example.org/a'))?.json, text);
    }
  });

  it('reads schema_type everywhere', async (store) => {
    const type = `"schema_type":"${schemaTypeOf('Person')}"`;
    await putText(store, canonicalJson({ pid: 'ex:a', schema_type: 'ex:Person' }));
    const [entry] = await store.entries({ limit: 1 });
    assert.ok(entry?.json?.includes(type));
    const [listed] = await store.list({}, { offset: 0, limit: 1 });
    assert.ok(listed?.json.includes(type));
    for await (const scanned of store.scan({})) assert.ok(scanned.json.includes(type));
  });
}

async function putText(store: RecordStore, json: string): Promise<void> {
  await store.write([{ put: { pid: 'ex:a', iri: 'https://example.org/a', className: 'Person', json } }], BY);
}
