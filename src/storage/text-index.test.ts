/** The text index while it is being filled: long texts, steady writes, and what a search remembers of it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { fold } from '../folding.ts';
import { openStore } from './backends.ts';
import { all, BY, expand, pids, put, scanned, schemaTypeOf } from './contract/subject.ts';
import { openDatabase } from './database.ts';
import { removeFormerIndex } from './former-text-index.ts';
import { SILENT_LOG } from './log.ts';
import { checkStore, completeTextIndex } from './maintenance.ts';
import { compileLikePattern } from './matching.ts';
import { SQLITE_FILE } from './sqlite.ts';
import { TextIndex } from './text-index.ts';
import { mayHave, SignatureBuilder } from './text-signature.ts';
import { TrigramFrequencies } from './trigram-frequencies.ts';

async function withDirectory(run: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'accession-text-'));
  try {
    await run(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const open = (directory: string) => openStore({ type: 'sqlite' }, directory, { expand, schemaTypeOf });

/** Texts that have each trigram once at most. */
function unlikeText(length: number): string {
  let seed = 1;
  const next = () => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return 0x4e00 + Math.floor((seed / 2147483648) * 20_000);
  };
  return String.fromCharCode(...Array.from({ length }, next));
}

test('a text that is too long for the table is found by its signature', () =>
  withDirectory(async (directory) => {
    const long = unlikeText(50_000);
    const store = await open(directory);
    await store.write(
      [
        put('ex:a', 'Person', { note: `${long}The Needle` }),
        put('ex:b', 'Person', { note: `${long}😀😀😀` }),
        put('ex:c', 'Person', { note: 'a needle, too' }),
      ],
      BY,
    );
    await store.close();
    completeTextIndex(directory, SILENT_LOG);
    const again = await open(directory);
    assert.deepEqual(pids(await all(again, { matching: '%needle%' })), ['ex:a', 'ex:c']);
    assert.deepEqual(pids(await all(again, { matching: '%😀😀😀' })), ['ex:b']);
    assert.deepEqual(pids(await all(again, { matching: '%no such%' })), []);
    await again.write([put('ex:a', 'Person', { note: 'short' }), { delete: 'https://example.org/b' }], BY);
    await again.close();
    completeTextIndex(directory, SILENT_LOG);
    const last = await open(directory);
    assert.deepEqual(pids(await all(last, { matching: '%needle%' })), ['ex:c']);
    assert.deepEqual(pids(await all(last, { matching: '%short%' })), ['ex:a']);
    await last.close();
  }));

test('one step does not take a whole long text in', () =>
  withDirectory(async (directory) => {
    const store = await open(directory);
    await store.write([put('ex:a', 'Person', { note: unlikeText(60_000) }), put('ex:b')], BY);
    await store.close();
    const database = openDatabase(join(directory, SQLITE_FILE));
    const index = new TextIndex(database);
    let steps = 1;
    while (!index.advance(0)) steps += 1;
    // Steps of no time: each looks at one record, or at no more than a few thousand characters of one.
    assert.ok(steps > 3, `${steps} steps`);
    assert.ok(index.complete);
    assert.equal((await index.search(compileLikePattern('ex:b'), undefined)).length, 1);
    database.close();
  }));

test('a signature has every trigram of its texts, however it is made', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 30 });
  const property = fc.property(fc.array(text), (texts) => {
    const builder = new SignatureBuilder(texts);
    assert.ok(builder.advance(Number.POSITIVE_INFINITY));
    for (const each of texts) {
      const characters = [...fold(each)];
      for (let i = 0; i + 3 <= characters.length; i++)
        assert.ok(mayHave(builder.bytes, [characters.slice(i, i + 3).join('')]));
    }
  });
  fc.assert(property, { numRuns: 500 });
  assert.ok(!mayHave(new SignatureBuilder([]).bytes, ['abc']));
});

test('trigrams counted while the index was being filled are counted again', () => {
  const database = new DatabaseSync(':memory:');
  database.exec(
    `CREATE VIRTUAL TABLE accession_folded USING fts5(value, tokenize = 'trigram case_sensitive 1')`,
  );
  const frequencies = new TrigramFrequencies(database);
  const insert = database.prepare('INSERT INTO accession_folded VALUES (?)');
  insert.run('ABC');
  assert.equal(frequencies.of('ABC', 1), 1);
  for (let i = 0; i < 99; i++) insert.run('ABC');
  assert.equal(frequencies.of('ABC', 100), 100);
  database.close();
});

test('the former index is removed in steps, and the new one finds what it found', () =>
  withDirectory(async (directory) => {
    const store = await open(directory);
    await store.write([put('ex:a', 'Person', { note: 'Ångström' }), put('ex:b')], BY);
    await store.close();
    const database = openDatabase(join(directory, SQLITE_FILE));
    database.exec(`
      CREATE VIRTUAL TABLE accession_text USING fts5(
        value, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
      );
      CREATE TABLE accession_long_text (thing INTEGER PRIMARY KEY, signature BLOB NOT NULL);
      INSERT OR REPLACE INTO accession_meta VALUES ('text_revision', 2);
    `);
    const insert = database.prepare('INSERT INTO accession_text (rowid, value) VALUES (?, ?)');
    for (let row = 1; row <= 40; row++) insert.run(row, unlikeText(20_000 + row));
    let steps = 1;
    while (!removeFormerIndex(database)) steps += 1;
    assert.ok(steps > 2, `${steps} steps`);
    const left = database.prepare(`SELECT name FROM sqlite_master WHERE name LIKE 'accession%text%'`).all();
    assert.deepEqual(left, []);
    database.close();
    assert.deepEqual(checkStore(directory), []);
    completeTextIndex(directory, SILENT_LOG);
    const again = await open(directory);
    assert.deepEqual(pids(await all(again, { matching: '%ångström%' })), ['ex:a']);
    assert.deepEqual(pids(await all(again, { matching: '%angstrom%' })), [], 'a pattern has accents');
    assert.deepEqual(pids(await scanned(again, { words: ['angstrom'] })), ['ex:a']);
    await again.close();
  }));

test('the index catches up while others write all the time', () =>
  withDirectory(async (directory) => {
    const store = await open(directory);
    const database = new DatabaseSync(join(directory, SQLITE_FILE), { readOnly: true });
    const reached = () =>
      (database.prepare(`SELECT value FROM accession_meta WHERE name = 'folded_revision'`).get()?.value ??
        0) as number;
    const end = performance.now() + 10_000;
    for (let i = 0; reached() < 5 && performance.now() < end; i++) {
      await store.write([put(`ex:${i % 50}`, 'Person', { i })], BY);
      await delay(20);
    }
    assert.ok(reached() >= 5);
    database.close();
    await store.close();
  }));

/** Numbers of few digits, so that they share their parts. */
const numbers = fc
  .array(fc.constantFrom('0', '1', '2', '-', '٣', '２', 'x', ' '), { minLength: 4, maxLength: 16 })
  .map((signs) => signs.join(''));

test('parts of numbers are found with an index, and with one of an earlier release', () =>
  withDirectory(async (directory) => {
    const values = fc.sample(numbers, { numRuns: 200, seed: 3 });
    let store = await open(directory);
    await store.write(
      values.map((note, i) => put(`ex:${100 + i}`, 'Person', { note })),
      BY,
    );
    const patterns = values.flatMap((value, i) => [`%${value.slice(i % 4, 10 + (i % 5))}%`, `${value}%`]);
    const search = async () => {
      const found: string[][] = [];
      for (const matching of patterns) found.push(pids(await all(store, { matching })));
      return found;
    };
    const expected = await search();
    await store.close();
    completeTextIndex(directory, SILENT_LOG);
    store = await open(directory);
    assert.deepEqual(await search(), expected);
    await store.close();

    const database = openDatabase(join(directory, SQLITE_FILE));
    database.exec('DELETE FROM accession_folded');
    const insert = database.prepare('INSERT INTO accession_folded (rowid, value) VALUES (?, ?)');
    values.forEach((value, i) => void insert.run(i + 1, `${fold(`ex:${100 + i}\nex:Person\n${value}`)}\n\n`));
    database.exec(`DELETE FROM accession_meta WHERE name = 'folded_numbers'`);
    database.close();
    store = await open(directory);
    assert.deepEqual(await search(), expected);
    await store.close();
    completeTextIndex(directory, SILENT_LOG);
    store = await open(directory);
    assert.deepEqual(await search(), expected);
    await store.close();
  }));

test('a number is found by itself, and a frequent one with other strings', () =>
  withDirectory(async (directory) => {
    let store = await open(directory);
    await store.write(
      Array.from({ length: 1200 }, (_, i) =>
        put(`ex:${i}`, 'Person', { on: `2014-05-13 in room ${1_000_000 + i}` }),
      ),
      BY,
    );
    await store.close();
    completeTextIndex(directory, SILENT_LOG);
    store = await open(directory);
    assert.deepEqual(pids(await all(store, { matching: '%1000007' })), ['ex:7']);
    assert.deepEqual(pids(await all(store, { matching: '2014-05-13 in room %0107' })), ['ex:107']);
    assert.equal(await store.count({ matching: '2014-05-13%' }), 1200);
    await store.close();
  }));

test('a replaced record is found by its text alone, not by the former one', () =>
  withDirectory(async (directory) => {
    for (const note of ['the first needle', 'something else', 'the second needle']) {
      const store = await open(directory);
      await store.write([put('ex:a', 'Person', { note })], BY);
      await store.close();
      completeTextIndex(directory, SILENT_LOG);
    }
    const store = await open(directory);
    assert.deepEqual(pids(await all(store, { matching: '%first%' })), []);
    assert.deepEqual(pids(await all(store, { matching: '%else' })), []);
    assert.deepEqual(pids(await all(store, { matching: '%second needle' })), ['ex:a']);
    await store.close();
  }));
