/** The subjects of the store contract, and the helpers of its cases. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { canonicalJson, type JsonObject } from '#linkml/json.ts';
import { isServiceError } from '../../errors.ts';
import type { Database } from '../database.ts';
import type { Actor, Change, ListedRecord, RecordKey, RecordStore, StoredRecord } from '../store.ts';

/** A backend under test. */
export type Subject = {
  readonly name: string;
  /** How many records the cases about many records use. */
  readonly many: number;
  /** The longest pid that it takes, in bytes. */
  readonly longestPid: number;
  /** Opens the database of a directory. */
  open(directory: string): Promise<Database>;
};

/** Who makes changes, if it does not matter. */
export const BY: Actor = { committer: 'curator@example.org', author: 'author@example.org', role: 'curator' };

/** The IRI of a pid, in the world of the cases. */
export function expand(pid: string): string | undefined {
  if (pid.startsWith('ex:')) return `https://example.org/${pid.slice(3)}`;
  return pid.includes('://') ? pid : undefined;
}

export const schemaTypeOf = (className: string) => (/^[A-Z]/.test(className) ? `ex:${className}` : undefined);

/** A record as it would be put. */
export function record(
  pid: string,
  className = 'Person',
  fields: JsonObject = {},
): RecordKey & { json: string } {
  const json = canonicalJson({ ...fields, pid, schema_type: schemaTypeOf(className)! });
  return { pid, iri: expand(pid)!, className, json };
}

export const put = (pid: string, className?: string, fields?: JsonObject): Change => ({
  put: record(pid, className, fields),
});

export const pids = (records: readonly RecordKey[]) => records.map(({ pid }) => pid);

export async function all(store: RecordStore, selection = {}): Promise<ListedRecord[]> {
  return store.list(selection, { offset: 0, limit: 1_000_000 });
}

export async function scanned(store: RecordStore, selection = {}): Promise<StoredRecord[]> {
  return Array.fromAsync(store.scan(selection));
}

/** Asserts that a promise fails with an error of a code. */
export async function refuses(promise: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(promise, (error) => isServiceError(error) && error.code === code);
}

/** A case: a sentence, and what it does with an empty area. Only one that takes the database, too, has it for itself. */
export type Case = (
  sentence: string,
  run: (store: RecordStore, reopen: () => Promise<RecordStore>, database: () => Database) => Promise<void>,
  options?: { skip?: boolean | string },
) => void;

/** Most of the time of these cases would go into flushing to disk; a file system in memory answers at once. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/**
 * Declares cases for a subject. Each has an area of its own, in a database that they share: making one takes longer than most
 * cases. Those that take the database have one of their own, which is closed behind them.
 */
export function casesFor(subject: Subject): Case {
  let shared: Promise<Opened> | undefined;
  const openShared = () => {
    shared ??= openOwn(subject);
    return shared;
  };
  let areas = 0;
  after(async () => (await shared)?.close());
  return (sentence, run, options = {}) => {
    const isAlone = run.length > 2;
    const path = isAlone ? 'area' : `area${++areas}`;
    test(`${subject.name}: ${sentence}`, options, async () => {
      const opened = await (isAlone ? openOwn(subject) : openShared());
      const area = () => opened.database().area(path);
      const reopen = async () => {
        await opened.reopen();
        return area();
      };
      try {
        await run(await area(), reopen, opened.database);
      } finally {
        if (isAlone) await opened.close();
      }
    });
  };
}

type Opened = { database(): Database; reopen(): Promise<void>; close(): Promise<void> };

/** A database in a directory of its own. */
async function openOwn(subject: Subject): Promise<Opened> {
  const directory = mkdtempSync(join(FOLDER, 'accession-store-'));
  let database = await subject.open(directory);
  return {
    database: () => database,
    async reopen() {
      await database.close();
      database = await subject.open(directory);
    },
    async close() {
      await database.close();
      rmSync(directory, { recursive: true });
    },
  };
}
