/** Reads from git which commits changed which records: for what the index does not know yet. */
import { createInterface } from 'node:readline';
import type { EntryIndex, IndexedEntry, IndexedRecord, RecordUpdate } from './entry-index.ts';
import { ended, gitFailed, startGit } from './git.ts';
import { type Location, readPath, readPid, splitLog } from './layout.ts';
import type { ObjectReader } from './object-reader.ts';

/** What one commit did to the files of one record: their blobs after it, undefined for a file that it left alone. */
type FileChange = { key: string; log?: string; yaml?: string };
type CommitChanges = { readonly commit: string; readonly records: ReadonlyMap<string, FileChange> };

/**
 * The commits after one, oldest first.
 *
 * @param range like `<commit>..<commit>`
 * @param location only commits that changed this record
 * @throws ServiceError `audit_failed`
 */
export async function* walkCommits(
  repository: string,
  range: string,
  location?: Location,
): AsyncIterable<CommitChanges> {
  const paths = location ? [location.log, location.yaml] : [];
  const child = startGit(repository, [
    'log',
    '--reverse',
    '--topo-order',
    '-m',
    '--first-parent',
    '--format=commit %H',
    '--raw',
    '--no-abbrev',
    '--no-renames',
    range,
    '--',
    ...paths,
  ]);
  child.stdin.end();
  const end = ended(child);
  let commit = '';
  let records = new Map<string, FileChange>();
  for await (const line of createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.startsWith('commit ')) {
      if (records.size > 0) yield { commit, records };
      commit = line.slice('commit '.length);
      records = new Map();
    } else if (line.startsWith(':')) {
      noteChange(records, line);
    }
  }
  if (records.size > 0) yield { commit, records };
  const failure = await end;
  if (failure) throw gitFailed('log', failure);
}

/** `:<mode> <mode> <blob> <blob> <status>\t<path>` */
function noteChange(records: Map<string, FileChange>, line: string): void {
  const [fields = '', path = ''] = line.split('\t');
  const place = readPath(path);
  const [, , , blob] = fields.split(' ');
  if (!place || blob === undefined || /^0+$/.test(blob)) return;
  const change = records.get(place.key) ?? { key: place.key };
  change[place.kind] = blob;
  records.set(place.key, change);
}

/** What commits brought for each record, on top of what an index knows. */
export async function collectUpdates(
  commits: AsyncIterable<CommitChanges>,
  index: Pick<EntryIndex, 'record'>,
  reader: ObjectReader,
): Promise<RecordUpdate[]> {
  const updates = new Map<string, Mutable<RecordUpdate> & { added: IndexedEntry[] }>();
  for await (const { commit, records } of commits) {
    for (const { key, log, yaml: newYaml } of records.values()) {
      const update = updates.get(key) ?? {
        ...(index.record(key) ?? UNKNOWN),
        key,
        newPid: undefined,
        added: [],
      };
      const yaml = newYaml ?? update.yaml;
      if (log === undefined || yaml === '') continue;
      updates.set(key, update);
      if (update.entries === 0) update.newPid = readPid(await reader.text(yaml)) ?? '';
      const entries = splitLog(await reader.text(log)).length;
      for (; update.entries < entries; update.entries++) update.added.push({ commit, yaml });
      update.log = log;
      update.yaml = yaml;
    }
  }
  return [...updates.values()];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const UNKNOWN: IndexedRecord = { entries: 0, log: '', yaml: '' };
