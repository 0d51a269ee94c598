/**
 * Reads a repository without owning it: for the command line, also while a service writes to it, and for repositories
 * that the peer has made.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { compareCodePoints } from '../../json.ts';
import type { AuditEntry } from '../audit-log.ts';
import { collectUpdates, walkCommits } from './commit-walk.ts';
import { readLines } from './entries.ts';
import { EntryIndex, type IndexedEntry, type RecordUpdate } from './entry-index.ts';
import { git } from './git.ts';
import { BRANCH, entryLocation, type LogLine, readContent } from './layout.ts';
import { ObjectReader } from './object-reader.ts';
import { takeOwnership } from './owner.ts';
import { OWN_FILES, readPidFile, requireRepository, writePidFile } from './repository.ts';

/** An entry as it is reported. */
export type ReportedEntry = AuditEntry & {
  /** The content after the change, as it stands in the repository. */
  readonly yaml: string;
  /** What git says of the difference to the content before; empty if there is none. */
  readonly diff: string;
  readonly commit: string;
};

export type Report = {
  /** The pids that match, in order. */
  readonly pids: readonly string[];
  /** The entries of one of the pids, oldest first. */
  entries(pid: string): Promise<ReportedEntry[]>;
  /** The times of the entries of one of the pids, as they are written. */
  times(pid: string): Promise<string[]>;
  close(): void;
};

/** Without an index, up to this many records are looked up in git one by one; for more, the whole log is read. */
const SINGLE_LOOKUPS = 20;

/**
 * Opens a report on the records whose whole pid matches a pattern.
 *
 * @throws ServiceError `store_incompatible` if the path is not an audit log, `audit_failed` if it cannot be read
 */
export async function openReport(path: string, pattern: RegExp): Promise<Report> {
  await requireRepository(path);
  const index = EntryIndex.openBeside(join(path, OWN_FILES, 'index.db')) ?? NO_INDEX;
  const reader = new ObjectReader(path);
  const tail = await openTail(path, index, reader);
  const known = new Set([...(await readPidFile(path)), ...index.pids()]);
  if (known.size === 0) for (const { newPid } of (await tail.all()).values()) known.add(newPid ?? '');
  const pids = [...known].filter((pid) => pattern.test(pid)).sort(compareCodePoints);
  if (tail.exists && pids.length > SINGLE_LOOKUPS) await tail.all();
  const linesOf = async (pid: string) => {
    const { key } = entryLocation(pid);
    const newer = await tail.of(pid);
    const { log } = newer ?? index.record(key) ?? {};
    return readLines([...index.entries(key), ...(newer?.added ?? [])], log, reader);
  };
  return {
    pids,
    entries: async (pid) => readCommitted(path, pid, entryLocation(pid).yaml, await linesOf(pid), reader),
    times: async (pid) => (await linesOf(pid)).map(({ timeStamp }) => timeStamp),
    close() {
      reader.close();
      index.close();
    },
  };
}

/** Rebuilds the index, and the peer's list of pids, from the commits. @returns the number of records */
export async function rebuildIndex(path: string): Promise<number> {
  await requireRepository(path);
  await mkdir(join(path, OWN_FILES), { recursive: true });
  const ownership = takeOwnership(join(path, OWN_FILES, 'owner.db'), path);
  const reader = new ObjectReader(path);
  const index = EntryIndex.open(join(path, OWN_FILES, 'index.db'));
  try {
    const tip = (await reader.read(BRANCH))?.name;
    if (tip === undefined) throw new ServiceError('audit_failed', `${path} has no branch ${BRANCH}`);
    index.clear();
    index.add(await collectUpdates(walkCommits(path, tip), index, reader), tip);
    const pids = [...index.pids()];
    await writePidFile(path, pids);
    return pids.length;
  } finally {
    index.close();
    reader.close();
    ownership.release();
  }
}

const NO_INDEX: Pick<EntryIndex, 'tip' | 'record' | 'entries' | 'pids' | 'close'> = {
  tip: undefined,
  record: () => undefined,
  entries: () => [],
  pids: () => [],
  close: () => {},
};

/** The commits that the index does not cover. */
async function openTail(path: string, index: Pick<EntryIndex, 'tip' | 'record'>, reader: ObjectReader) {
  const tip = (await reader.read(BRANCH))?.name;
  const range = index.tip === undefined ? (tip ?? '') : `${index.tip}..${tip}`;
  const exists = tip !== undefined && tip !== index.tip;
  let whole: Map<string, RecordUpdate> | undefined;
  return {
    exists,
    async all(): Promise<ReadonlyMap<string, RecordUpdate>> {
      const updates = exists ? await collectUpdates(walkCommits(path, range), index, reader) : [];
      whole ??= new Map(updates.map((update) => [update.key, update]));
      return whole;
    },
    async of(pid: string): Promise<RecordUpdate | undefined> {
      const location = entryLocation(pid);
      if (whole || !exists) return whole?.get(location.key);
      const [update] = await collectUpdates(walkCommits(path, range, location), index, reader);
      return update;
    },
  };
}

async function readCommitted(
  path: string,
  pid: string,
  file: string,
  entries: readonly (IndexedEntry & LogLine)[],
  reader: ObjectReader,
): Promise<ReportedEntry[]> {
  const diffs = await readDiffs(
    path,
    file,
    entries.map(({ commit }) => commit),
  );
  return Promise.all(
    entries.map(async ({ timeStamp, committerId, authorId, deleted, commit, yaml: blob }) => {
      const yaml = await reader.text(blob);
      const json = deleted ? undefined : readContent(yaml);
      const diff = diffs.get(commit) ?? '';
      return { pid, timeStamp, committerId, authorId, json, yaml, diff, commit };
    }),
  );
}

/** What commits did to a file, by commit. */
async function readDiffs(
  path: string,
  file: string,
  commits: readonly string[],
): Promise<Map<string, string>> {
  const args = ['diff-tree', '--stdin', '--root', '-r', '-p', '--no-renames', '--', file];
  const output = commits.length > 0 ? await git(path, args, `${commits.join('\n')}\n`) : '';
  const diffs = new Map<string, string>();
  for (const part of output.split(/^(?=[\da-f]{40}\n)/m)) {
    if (part !== '') diffs.set(part.slice(0, 40), part.slice(41));
  }
  return diffs;
}
