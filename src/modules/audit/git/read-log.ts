/**
 * Reads the git audit log of a collection once, when its store is adopted: every change with its time, its actors and the
 * record after it, oldest first.
 */
import { createInterface } from 'node:readline';
import { isJsonObject, type JsonObject, parseJson } from '#linkml/json.ts';
import { readYaml } from '#linkml/yaml/read.ts';
import type { LoggedChange, LogPosition, ReadLogOptions } from '../../../core/collections/area-logs.ts';
import { ended, git, gitFailed, startGit } from './git.ts';
import { BRANCH, type LogLine } from './layout.ts';
import { ObjectReader } from './object-reader.ts';

/** The change that a commit made to the two files of a record: their blobs before and after it. */
type FileChange = { readonly stem: string; yaml?: string; log?: string; logBefore?: string };

/** Changes of one commit that are sorted by time in memory. */
const CHANGES_AT_ONCE = 10_000;

const NOTHING = /^0+$/;

/** The number of commits of a log; 0 if the directory has none. */
export async function countCommits(repository: string): Promise<number> {
  const heads = await git(repository, ['for-each-ref', BRANCH]).catch(() => '');
  if (heads === '') return 0;
  return Number(await git(repository, ['rev-list', '--count', '--first-parent', BRANCH]));
}

/** The number of records in all commits of a log, each counted in every commit that changes it. */
export async function countChanges(repository: string): Promise<number> {
  let changes = 0;
  for await (const { files } of commitsAfter(repository, null)) changes += files.length;
  return changes;
}

/** Up to which revision release 0.2 has brought the entries of an area to a log; 0 if it has brought none. */
export async function formerPosition(repository: string, area: string): Promise<number> {
  const args = [
    'log',
    '-1',
    '--first-parent',
    '--fixed-strings',
    `--grep=persist changes up to ${area} `,
    '--format=%s',
    BRANCH,
  ];
  const subject = await git(repository, args).catch(() => '');
  return Number(/ (\d+)\s*$/.exec(subject)?.[1] ?? 0);
}

/**
 * The changes after a position. A `.log` file has one line for each change of its record, so a commit has brought the lines
 * that its version has and the version before it lacks.
 *
 * @throws ServiceError `audit_failed`
 */
export async function* readGitLog(
  repository: string,
  after: LogPosition | null,
  { before = Number.POSITIVE_INFINITY, read }: ReadLogOptions = {},
): AsyncGenerator<LoggedChange> {
  const reader = new ObjectReader(repository);
  try {
    for await (const { commit, files } of commitsAfter(repository, after)) {
      let change = 0;
      const done = commit === after?.commit ? after.change + 1 : 0;
      for (let from = 0; from < files.length; from += CHANGES_AT_ONCE) {
        const some = files.slice(from, from + CHANGES_AT_ONCE);
        const lines = (await Promise.all(some.map((file) => linesOf(commit, file, reader)))).flat();
        lines.sort((a, b) => a.time - b.time);
        for (const { time, committerId, authorId, deleted, yaml } of lines) {
          const position = { commit, change: change++ };
          if (position.change < done || time >= before) continue;
          const record = readYaml(await reader.text(yaml), { tuples: 'list' });
          if (!isJsonObject(record) || typeof record.pid !== 'string') continue;
          yield {
            position,
            time,
            committer: committerId,
            author: authorId,
            pid: record.pid,
            record: deleted ? undefined : record,
          };
        }
        read?.(some.length);
      }
    }
  } finally {
    reader.close();
  }
}

async function linesOf(commit: string, file: FileChange, reader: ObjectReader) {
  // A record that is stored as it was has a line, and no other content.
  const { log, logBefore, yaml = `${commit}:${file.stem}.yaml` } = file;
  if (log === undefined) return [];
  const before = logBefore === undefined ? 0 : splitLog(await reader.text(logBefore)).length;
  const lines = splitLog(await reader.text(log)).slice(before);
  return lines.map((line) => {
    const read = readLogLine(line);
    return { ...read, time: microsecondsIn(read.timeStamp), yaml };
  });
}

/** The commits after a position, oldest first, with the records that they changed. */
async function* commitsAfter(
  repository: string,
  after: LogPosition | null,
): AsyncGenerator<{ readonly commit: string; readonly files: readonly FileChange[] }> {
  // The commit of the position comes again: some of its changes may be left. The first commit has no parent.
  const from =
    after === null
      ? ''
      : await git(repository, ['rev-parse', '--verify', '-q', `${after.commit}^`], { good: [0, 1] });
  const child = startGit(repository, [
    ...['log', '--reverse', '--topo-order', '-m', '--first-parent', '--format=commit %H'],
    '--raw',
    '--no-abbrev',
    '--no-renames',
    from === '' ? BRANCH : `${from.trim()}..${BRANCH}`,
    '--',
  ]);
  child.stdin.end();
  const end = ended(child);
  let commit = '';
  let files = new Map<string, FileChange>();
  for await (const line of createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.startsWith('commit ')) {
      if (commit !== '') yield { commit, files: [...files.values()] };
      commit = line.slice('commit '.length);
      files = new Map();
    } else if (line.startsWith(':')) noteFile(files, line);
  }
  if (commit !== '') yield { commit, files: [...files.values()] };
  const failure = await end;
  if (failure) throw gitFailed('log', failure);
}

/** `:<mode> <mode> <blob> <blob> <status>\t<path>` */
function noteFile(files: Map<string, FileChange>, line: string): void {
  const [fields = '', path = ''] = line.split('\t');
  const place = readPath(path);
  const [, , before = '', after = ''] = fields.split(' ');
  if (!place || NOTHING.test(after)) return;
  const change = files.get(place.key) ?? { stem: path.slice(0, path.lastIndexOf('.')) };
  files.set(place.key, change);
  change[place.kind] = after;
  if (place.kind === 'log' && !NOTHING.test(before)) change.logBefore = before;
}

/** Python leaves out a fraction that is 0. */
function microsecondsIn(time: string): number {
  const rest = /\.\d{3}(\d{1,3})/.exec(time)?.[1] ?? '';
  return (Date.parse(time) || 0) * 1000 + Number(rest.padEnd(3, '0'));
}

/** The key and the kind of a file in the tree; undefined for a file that does not belong to a record. */
function readPath(path: string): { key: string; kind: 'yaml' | 'log' } | undefined {
  const match = /^[\da-f]{3}\/[\da-f]{3}\/([\da-f]{40})\.(yaml|log)$/.exec(path);
  return match ? { key: match[1] as string, kind: match[2] as 'yaml' | 'log' } : undefined;
}

/** The lines of a `.log` file, without line breaks. */
function splitLog(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

function readLogLine(line: string): LogLine {
  const { time_stamp, committer_id, author_id, deleted } = parseJson(line) as JsonObject;
  return {
    timeStamp: String(time_stamp),
    committerId: String(committer_id),
    authorId: String(author_id),
    deleted: deleted === true,
  };
}
