/** The subjects of the store contract, and the helpers of its cases. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { canonicalJson, type JsonObject } from '../../json.ts';
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
  await assert.rejects(promise, (error) => error instanceof ServiceError && error.code === code);
}

/** A case: a sentence, and what it does with an area of a database in a directory of its own. */
export type Case = (
  sentence: string,
  run: (store: RecordStore, reopen: () => Promise<RecordStore>, database: () => Database) => Promise<void>,
  options?: { skip?: boolean | string },
) => void;

/** Most of the time of these cases would go into flushing to disk; a file system in memory answers at once. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Declares cases for a subject. Databases are opened and closed around each. */
export function casesFor(subject: Subject): Case {
  return (sentence, run, options = {}) => {
    test(`${subject.name}: ${sentence}`, options, async () => {
      const directory = mkdtempSync(join(FOLDER, 'accession-store-'));
      let database = await subject.open(directory);
      try {
        const reopen = async () => {
          await database.close();
          database = await subject.open(directory);
          return database.area('area');
        };
        await run(await database.area('area'), reopen, () => database);
      } finally {
        await database.close();
        rmSync(directory, { recursive: true });
      }
    });
  };
}
