/** The records that a `matching` pattern selects. */
import assert from 'node:assert/strict';
import type { JsonObject } from '#linkml/json.ts';
import type { RecordStore } from '../store.ts';
import { all, BY, type Case, pids, put, scanned } from './subject.ts';

export function matchingContract(it: Case): void {
  /** Records a to d, and which of them a pattern selects. */
  const selects = (sentence: string, fields: JsonObject[], rows: [pattern: string, expected: string][]) =>
    it(sentence, async (store) => {
      await store.write(
        fields.map((field, i) => put(`ex:${'abcd'[i]}`, 'Person', field)),
        BY,
      );
      for (const [pattern, expected] of rows) assert.equal(await selected(store, pattern), expected, pattern);
    });

  selects(
    'matches whole values only',
    [{ name: 'Lovelace' }, { name: 'love' }],
    [
      ['love', 'b'],
      ['Lovelace', 'a'],
      ['lace', ''],
      ['love%', 'ab'],
      ['%lace', 'a'],
      ['%ove%', 'ab'],
    ],
  );
  selects(
    'takes _ for exactly one character',
    [{ name: 'cat' }, { name: 'cart' }, { name: 'c😀t' }],
    [
      ['c_t', 'ac'],
      ['c__t', 'b'],
      ['_at', 'a'],
      ['___', 'ac'],
      ['c_%t', 'abc'],
    ],
  );
  selects(
    'takes % alone for anything, and the empty pattern for nothing',
    [{ name: '' }, { n: 1 }],
    [
      ['%', 'ab'],
      ['%%', 'ab'],
      ['', ''],
    ],
  );
  selects(
    'takes everything else as it stands',
    [{ name: '50% (a*b) [x] "q" \\ ^-$ OR NEAR' }, { name: "it's a.b+c?" }],
    [
      ['%(a*b)%', 'a'],
      ['%[x]%', 'a'],
      ['%"q"%', 'a'],
      ['%\\%', 'a'],
      ['%^-$%', 'a'],
      ['% OR NEAR', 'a'],
      ["it's%", 'b'],
      ['%a.b+c?', 'b'],
      ['%axb%', ''],
      ['%.*%', ''],
    ],
  );
  selects(
    'has no regard to case, in all of Unicode',
    [{ name: 'ÄRGER' }, { name: 'Σίσυφος' }, { name: 'МОСКВА' }],
    [
      ['ärger', 'a'],
      ['%σΊσυφοσ%', 'b'],
      ['москва', 'c'],
      ['%Р%', ''],
      ['%моск%', 'c'],
      ['arger', ''],
    ],
  );
  selects(
    'never matches keys or numbers',
    [{ needle: 'x' }, { n: 12345 }, { t: true, z: null }],
    [
      ['%needle%', ''],
      ['%12345%', ''],
      ['%234%', ''],
      ['true', ''],
      ['null', ''],
    ],
  );
  selects(
    'looks at values of any depth',
    [{ l: [{ deep: { deeper: ['needle'] } }] }, { l: ['hay', 'needlework'] }],
    [
      ['needle', 'a'],
      ['needle%', 'ab'],
      ['%hay%', 'b'],
    ],
  );
  selects(
    'matches within one value, not across two',
    [{ l: ['alpha', 'beta'] }, { name: 'alpha beta' }],
    [
      ['alpha%beta', 'b'],
      ['%a_beta%', 'b'],
    ],
  );
  selects(
    'matches line breaks and control characters as any other',
    [{ name: 'first\nsecond' }, { name: 'a\0b' }],
    [
      ['first_second', 'a'],
      ['first%second', 'a'],
      ['%\nsecond', 'a'],
      ['a_b', 'b'],
      ['a\0b', 'b'],
    ],
  );

  it('combines a pattern with classes, ranges and ranks', async (store) => {
    await store.write(
      Array.from({ length: 300 }, (_, i) =>
        put(`ex:${1000 + i}`, i % 2 ? 'Robot' : 'Person', { name: i % 3 ? 'alpha' : 'beta' }),
      ),
      BY,
    );
    const selection = { classes: ['Robot'], matching: 'BETA' };
    assert.equal(await store.count(selection), 50);
    const records = await all(store, selection);
    assert.equal(records.length, 50);
    assert.deepEqual(
      pids(await store.list(selection, { offset: 10, limit: 5 })),
      pids(records.slice(10, 15)),
    );
    assert.equal(await store.rank(selection, records[20]!.pid), 20);
    assert.deepEqual(pids(await scanned(store, selection)), pids(records));
    const iris = [records[0]!.iri, 'https://example.org/1000'];
    assert.deepEqual(pids(await store.present(iris, selection)), [records[0]!.pid]);
  });

  it('follows every change at once', async (store) => {
    await store.write([put('ex:a', 'Person', { name: 'before' })], BY);
    assert.equal(await selected(store, '%before%'), 'a');
    await store.write([put('ex:a', 'Person', { name: 'after' })], BY);
    assert.equal(await selected(store, '%before%'), '');
    assert.equal(await selected(store, '%after%'), 'a');
    await new Promise((resolve) => setTimeout(resolve, 400));
    assert.equal(await selected(store, '%after%'), 'a');
    await store.write(
      [put('ex:b', 'Person', { name: 'after' }), put('ex:a', 'Person', { name: 'later' })],
      BY,
    );
    assert.equal(await selected(store, '%after%'), 'b');
    await store.write([{ delete: 'https://example.org/b' }], BY);
    assert.equal(await selected(store, '%after%'), '');
    assert.equal(await selected(store, '%later%'), 'a');
  });
}

/** The last letters of the pids that a pattern selects. */
async function selected(store: RecordStore, matching: string): Promise<string> {
  const records = await all(store, { matching });
  assert.equal(await store.count({ matching }), records.length);
  return records.map(({ pid }) => pid.slice(-1)).join('');
}
