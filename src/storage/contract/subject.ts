/** What the cases of the store contract are run on, and how they speak. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ServiceError } from '../../errors.ts';
import { canonicalJson, type JsonObject } from '../../json.ts';
import type { Actor, Change, ListedRecord, RecordKey, RecordStore, StoredRecord } from '../store.ts';

/** A backend under test. */
export type Subject = {
  readonly name: string;
  /** Whether it honours `matching`; where not, the cases about it are skipped, and others hold that it is ignored. */
  readonly matching: boolean;
  /** How many records the cases about many records use. */
  readonly many: number;
  open(directory: string): Promise<RecordStore>;
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

/** A case: a sentence, and what it does with a store in a directory of its own. */
export type Case = (
  sentence: string,
  run: (store: RecordStore, reopen: () => Promise<RecordStore>, directory: string) => Promise<void>,
  options?: { skip?: boolean | string },
) => void;

/** Most of the time of these cases would go into flushing to disk; a file system in memory answers at once. */
const FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** Declares cases for a subject. Stores are opened and closed around each. */
export function casesFor(subject: Subject): Case {
  return (sentence, run, options = {}) => {
    test(`${subject.name}: ${sentence}`, options, async () => {
      const directory = mkdtempSync(join(FOLDER, 'accession-store-'));
      const opened: RecordStore[] = [];
      const open = async () => {
        const store = await subject.open(directory);
        opened.push(store);
        return store;
      };
      try {
        const store = await open();
        const reopen = async () => {
          await store.close();
          return open();
        };
        await run(store, reopen, directory);
      } finally {
        for (const store of opened) await store.close();
        rmSync(directory, { recursive: true });
      }
    });
  };
}
