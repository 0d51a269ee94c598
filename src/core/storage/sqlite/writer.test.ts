/** How transactions reach the thread that writes. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { sqliteAt } from '../../../../test/support/sqlite.ts';
import { layTables } from './sqlite.ts';
import { Writer } from './writer.ts';

/** Adds rows, each with a statement. */
const adding = (...keys: string[]) => ({
  checks: [],
  steps: keys.map((key) => ({ sql: "INSERT INTO accession_meta VALUES ($1, '')", values: [key] })),
});
const KEYS = "SELECT key FROM accession_meta WHERE key LIKE 'added %' ORDER BY rowid";
const turn = () => new Promise((ended) => setImmediate(ended));

async function withWriter(use: (writer: Writer, other: DatabaseSync) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'accession-writer-'));
  const file = join(directory, 'accession.db');
  layTables(file);
  const writer = await Writer.open(file, false);
  const other = sqliteAt(file);
  try {
    await use(writer, other);
  } finally {
    other.close();
    await writer.close();
    rmSync(directory, { recursive: true });
  }
}

const keysIn = (database: DatabaseSync) =>
  database
    .prepare(KEYS)
    .all()
    .map(({ key }) => key);

test('the thread goes on with what has arrived, while the one that sends is busy', () =>
  withWriter(async (writer, other) => {
    other.exec('BEGIN IMMEDIATE');
    const first = writer.commit(adding('added first'));
    await turn();
    const second = writer.commit(adding('added second'));
    await turn();
    other.exec('COMMIT');
    // No message of the thread is received from here on.
    for (const end = performance.now() + 60_000; keysIn(other).length < 2 && performance.now() < end; );
    assert.deepEqual(keysIn(other), ['added first', 'added second']);
    await Promise.all([first, second]);
  }));

test('transactions are carried out in their order, those that are sent in parts and those that wait included', () =>
  withWriter(async (writer, other) => {
    const keys = Array.from({ length: 3000 }, (_, number) => `added ${number}`);
    const sizes = [1, 600, 1, 1200, 700, 1, 497];
    let from = 0;
    const sent = sizes.map((size) => {
      const own = keys.slice(from, from + size);
      from += size;
      return writer.commit(adding(...own));
    });
    const revisions = await Promise.all(sent);
    assert.deepEqual(
      revisions.map(({ length }) => length),
      sizes,
    );
    assert.deepEqual(keysIn(other), keys);
  }));

test('one that fails leaves those before and behind it alone', () =>
  withWriter(async (writer, other) => {
    const outcomes = await Promise.allSettled([
      writer.commit(adding('added a')),
      writer.commit(adding('added a', 'added b')),
      writer.commit(adding('added c')),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(keysIn(other), ['added a', 'added c']);
  }));

for (const length of [1, 600])
  test(`one of ${length} steps that cannot be copied to the thread fails alone`, () =>
    withWriter(async (writer, other) => {
      const { checks, steps } = adding(...Array.from({ length }, (_, at) => `never ${at}`));
      const bad = { sql: 'SELECT 1', values: [(() => 1) as unknown as string] };
      const outcomes = await Promise.allSettled([
        writer.commit(adding('added a')),
        writer.commit({ checks, steps: [...steps, bad] }),
        writer.commit(adding('added b')),
        writer.commit(adding(...Array.from({ length: 600 }, (_, at) => `many ${at}`))),
      ]);
      assert.deepEqual(
        outcomes.map((one) => (one.status === 'rejected' ? one.reason.name : one.status)),
        ['fulfilled', 'DataCloneError', 'fulfilled', 'fulfilled'],
      );
      assert.deepEqual(keysIn(other), ['added a', 'added b']);
    }));

test('what waits for one that cannot be copied is sent when that has failed', () =>
  withWriter(async (writer) => {
    const step = { area: { id: 1, path: 'a' } };
    const span = { from: 1, to: 1 };
    const options = { heads: (() => ({})) as unknown as Record<string, string[]> };
    const outcomes = await Promise.allSettled([
      writer.commit({ checks: [], steps: [{ ...step, derived: { of: 'words', span, options } }] }),
      writer.commit({ checks: [], steps: [{ ...step, derived: { of: 'texts', span } }] }),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'fulfilled'],
    );
  }));
