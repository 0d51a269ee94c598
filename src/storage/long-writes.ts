/**
 * Writes that would take so long that other requests should not wait for them: they are made in another thread, with a
 * connection of its own. For the connection of the service, they are like those of another process.
 */
import { chunks } from '../jobs/chunks.ts';
import type { Threads } from '../jobs/threads.ts';
import type { MappingMethod } from './record-dir/file-names.ts';
import type { PendingFile } from './record-dir/file-table.ts';
import type { Actor, Change, ChangeResult, LedgerChange } from './store.ts';

/** Longer writes are made in a thread, in changes and in characters of records. */
const MOST_CHANGES = 500;
const MOST_CHARACTERS_WRITTEN = 256 * 1024;

/** An area as a thread opens it. */
export type AreaPlace =
  | { readonly kind: 'sqlite'; readonly file: string }
  | { readonly kind: 'record_dir'; readonly directory: string; readonly mapping: MappingMethod };

/** All changes or none, as in the contract of stores. */
export type Write = {
  readonly changes: readonly Change[];
  readonly by: Actor;
  readonly ledger: readonly LedgerChange[];
};

/** What a thread is sent: changes in parts, then the rest of the write. */
export type WriteMessage =
  | { readonly changes: readonly Change[] }
  | ({ readonly commit: true } & Omit<Write, 'changes'>);

/** What it answers after the commit, in parts; nothing to each part of the changes. */
export type WriteReply = {
  readonly results?: readonly ChangeResult[];
  readonly kept?: readonly PendingFile[];
};

/** The results, and the files that have to be moved into place. */
export type Written = { readonly results: ChangeResult[]; readonly kept: PendingFile[] };

/** Whether a write is made in a thread. */
export function isLong({ changes }: Pick<Write, 'changes'>): boolean {
  return changes.length > MOST_CHANGES || charactersOf(changes) > MOST_CHARACTERS_WRITTEN;
}

/** The characters of the records of some changes. */
export function charactersOf(changes: readonly Change[]): number {
  let characters = 0;
  for (const change of changes) characters += lengthOf(change);
  return characters;
}

function lengthOf(change: Change): number {
  return 'put' in change ? change.put.json.length : 0;
}

/** Makes a write in a thread. @throws ServiceError as the `write` of a store does */
export async function writeInThread(threads: Threads, place: AreaPlace, write: Write): Promise<Written> {
  const { changes, by, ledger } = write;
  const conversation = threads.run('write records', place);
  await conversation.next();
  for (const part of chunks(changes, lengthOf))
    await conversation.next({ changes: part } satisfies WriteMessage);
  const written: Written = { results: [], kept: [] };
  let reply = await conversation.next({ commit: true, by, ledger } satisfies WriteMessage);
  while (!reply.done) {
    const { results = [], kept = [] } = reply.value as WriteReply;
    for (const one of results) written.results.push(one);
    for (const one of kept) written.kept.push(one);
    reply = await conversation.next();
  }
  return written;
}
