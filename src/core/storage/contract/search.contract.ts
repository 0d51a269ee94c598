/** The text index against the pattern itself. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fold, scalarsIn } from '#linkml/folding.ts';
import { parseJson } from '#linkml/json.ts';
import { statementsOf } from '../../../../test/support/statements.ts';
import { advance } from '../../work/projections.ts';
import { compileLikePattern } from '../search/matching.ts';
import { idsInParts } from '../search/search.ts';
import { TEXT_INDEX } from '../search/text-index.ts';
import type { RecordStore } from '../store.ts';
import { all, BY, type Case, pids, put, scanned } from './subject.ts';

/** Few letters, so that patterns match often; and what SQL, FTS5, JSON and regular expressions take for signs. */
const LETTERS = [...'aAbBäÄßẞsSσςΣ', '😀', ...'_"\'*^-()\\.+?[]{}|$/:, ', '\n', '\0'];
const text = fc.array(fc.constantFrom(...LETTERS), { maxLength: 12 }).map((signs) => signs.join(''));
const pattern = fc
  .array(fc.constantFrom(...LETTERS, '%', '%', '_', 'OR', 'NEAR'), { maxLength: 7 })
  .map((signs) => signs.join(''));

/** So many that candidates are fewer. */
const RECORDS = 1200;

export function searchContract(it: Case): void {
  it('finds the same with the whole index and with a part of it', async (store, _reopen, database) => {
    const values = fc.sample(text, { numRuns: RECORDS + 100, seed: 7 });
    const patterns = fc.sample(pattern, { numRuns: 80, seed: 8 });
    const changes = values.map((value, at) => put(`ex:${10_000 + at}`, 'Person', { deep: [{ value }] }));
    await store.write(changes.slice(0, RECORDS), BY);
    await advance(database(), TEXT_INDEX, store);
    await finds(store, patterns);
    await store.write([...changes.slice(RECORDS), put('ex:10005', 'Person', { deep: ['aab'] })], BY);
    await store.write([{ delete: 'https://example.org/10006' }], BY);
    await finds(store, patterns);
  });

  it('offers every record that has some words', async (store, _reopen, database) => {
    const many = Array.from({ length: RECORDS }, (_, at) =>
      put(`ex:${10_000 + at}`, at % 2 ? 'Person' : 'Robot', { name: `number ${at} Ünïcode`, n: at }),
    );
    await store.write(many, BY);
    await advance(database(), TEXT_INDEX, store);
    await store.write([put('ex:late', 'Person', { name: 'number 77 late' })], BY);
    for (const words of [['unicode', '117'], ['late'], ['nothing like it'], ['mb', '11']]) {
      const wanted = words.map(fold);
      const has = ({ json }: { json: string }) => {
        const scalars = scalarsIn(parseJson(json)).map(fold);
        return wanted.every((word) => scalars.some((one) => one.includes(word)));
      };
      const offered = await scanned(store, { words: wanted });
      const expected = pids((await all(store)).filter(has));
      assert.deepEqual(pids(offered.filter(has)), expected, words.join(' '));
      assert.deepEqual(pids(offered), pids(offered).sort());
    }
  });

  it('offers the candidates alone only if they are few', async (store, _reopen, database) => {
    const many = Array.from({ length: RECORDS }, (_, at) =>
      put(`ex:${10_000 + at}`, 'Person', { n: `no ${at}` }),
    );
    await store.write(many, BY);
    await advance(database(), TEXT_INDEX, store);
    const offered = async (word: string) =>
      (await scanned(store, { words: [word], mostCandidates: 20 })).length;
    assert.ok((await offered('no 1117')) < 20);
    assert.equal(await offered('no 11'), RECORDS);
  });

  it('ends a search for a pattern behind as many records as its caller wants', async (store) => {
    const many = Array.from({ length: RECORDS }, (_, at) =>
      put(`ex:${10_000 + at}`, 'Person', { n: `no ${at}` }),
    );
    await store.write(many, BY);
    const [some, every] = [{ matching: 'no 1%' }, { matching: 'n%' }];
    const few = await statementsOf(async () => assert.ok((await store.count(every, 100)) > 100));
    // What has ended is not kept for others.
    const all = await statementsOf(async () => assert.equal(await store.count(every), RECORDS));
    assert.ok(few < all / 2, `${few} of ${all} statements`);
    assert.equal(await store.count(every, 100), RECORDS);
    const found = 111 + RECORDS - 1000;
    assert.equal(await store.count(some, found), found);
    assert.ok((await store.count(some, found - 1)) >= found);
  });

  it('reads ids in parts', async (store, _reopen, database) => {
    await store.write(
      [1, 2, 3, 4, 5].map((at) => put(`ex:${at}`)),
      BY,
    );
    const select = `SELECT id, revision FROM accession_record
      WHERE area = $3 AND revision > $1 ORDER BY revision LIMIT CAST($2 AS INTEGER)`;
    const lengths = async (behind: number, most: number) => {
      const parts = await Array.fromAsync(idsInParts(database(), select, [store.area.id], behind, most));
      assert.equal(new Set(parts.flat()).size, 5 - behind);
      return parts.map(({ length }) => length);
    };
    assert.deepEqual(await lengths(0, 2), [2, 2, 1]);
    assert.deepEqual(await lengths(1, 2), [2, 2, 0]);
    assert.deepEqual(await lengths(1, 9), [4]);
  });

  it('goes on behind a record, whether candidates or all records are read', async (store, _reopen, database) => {
    const many = Array.from({ length: RECORDS }, (_, at) =>
      put(`ex:${10_000 + at}`, at % 2 ? 'Person' : 'Robot', { name: at % 3 ? 'one of many' : 'another one' }),
    );
    await store.write(many, BY);
    await advance(database(), TEXT_INDEX, store);
    const [first, ...others] = await all(store);
    for (const selection of [
      ...[{}, { words: ['another'] }, { words: ['another'], mostCandidates: 20 }],
      ...[{ classes: ['Robot'] }, { words: ['another'], classes: ['Robot'] }, { matching: '%another%' }],
    ]) {
      const whole = pids(await scanned(store, selection));
      for (const after of [first!, others[500]!, others.at(-1)!])
        assert.deepEqual(
          pids(await scanned(store, { ...selection, after })),
          whole.filter((pid) => pid > after.pid),
          JSON.stringify({ selection, after: after.pid }),
        );
    }
  });
}

async function finds(store: RecordStore, patterns: readonly string[]): Promise<void> {
  const records = await all(store);
  for (const matching of patterns) {
    const { matchesRecord } = compileLikePattern(matching);
    const expected = records.filter(({ json }) => matchesRecord(json));
    assert.deepEqual(pids(await all(store, { matching })), pids(expected), JSON.stringify(matching));
  }
}
