/** Which commits bring entries into the repository. */
import { type Pool, runIfLong } from '../../../core/work/pool.ts';
import { yamlOf } from '../tasks.ts';
import type { CommitFiles } from './commits.ts';
import { entryLocation, hasLine, isDeleted, writeContent, writeLogLine } from './layout.ts';
import type { ObjectReader } from './object-reader.ts';

/** A change on its way to git. */
export type LoggedChange = {
  readonly pid: string;
  readonly timeStamp: string;
  readonly committerId: string;
  readonly authorId: string;
  /** The name that people read, if it is another one. */
  readonly authorName?: string | undefined;
  /** Canonical JSON; undefined for a delete. */
  readonly json: string | undefined;
  /** The id of the decision that made it, or that it takes back. */
  readonly decision?: string | undefined;
};

/**
 * The most records in one commit. Every commit writes the root of the tree again, with up to 4096 folders, so
 * that a crowd of small commits costs more than the records in them.
 */
const COMMIT_RECORDS = 500;

/** A plan ends when its files hold so many characters: each change of a record brings its whole `.log` along. */
const MOST_TEXT = 16 << 20;

export type Plan = {
  /** How many of the changes it covers, from the first one on. */
  readonly taken: number;
  readonly commits: readonly CommitFiles[];
  /** They are left out. */
  readonly skipped: readonly Skipped[];
  /** The records that the repository does not have yet. */
  readonly newPids: readonly string[];
};

/** A change that cannot be written, and why. */
export type Skipped = { readonly change: LoggedChange; readonly error: unknown };

/**
 * The changes that the branch has already are left out: git and the cursor cannot move in one step.
 *
 * @param tip the commit that the commits come after; undefined if the branch is new
 * @throws ServiceError `audit_failed` if git cannot be read
 */
export async function planCommits(
  changes: readonly LoggedChange[],
  tip: string | undefined,
  reader: ObjectReader,
  pool: Pool,
): Promise<Plan> {
  /** The `.log` of each record. */
  const logs = new Map<string, string>();
  const newPids: string[] = [];
  const commits: Planned[] = [];
  const skipped: Skipped[] = [];
  let inCommit = new Set<string>();
  let taken = 0;
  let text = 0;
  for (const change of changes) {
    if (text > MOST_TEXT) break;
    taken++;
    const location = entryLocation(change.pid);
    const known =
      logs.get(location.key) ?? (tip && (await reader.read(`${tip}:${location.log}`))?.content.toString());
    if (known !== undefined && hasLine(known, change.timeStamp)) continue;
    let content: string;
    try {
      content = await plannedContent(change, pool);
    } catch (error) {
      skipped.push({ change, error });
      continue;
    }
    if (known === undefined) newPids.push(change.pid);
    const isFull = inCommit.has(location.key) || inCommit.size >= COMMIT_RECORDS;
    if (isFull || commits.at(-1)?.author !== change.authorId) {
      commits.push({ author: change.authorId, changes: [], files: [] });
      inCommit = new Set();
    }
    inCommit.add(location.key);
    const log = (known ?? '') + writeLogLine({ ...change, deleted: change.json === undefined });
    logs.set(location.key, log);
    text += content.length + log.length;
    const commit = commits.at(-1)!;
    commit.changes.push({ ...change, verb: verbOf(change, known) });
    commit.files.push({ path: location.yaml, text: content }, { path: location.log, text: log });
  }
  return { taken, commits: commits.map(toCommit), skipped, newPids };
}

type Verb = 'Add' | 'Update' | 'Delete';
type Planned = {
  readonly author: string;
  readonly changes: (LoggedChange & { readonly verb: Verb })[];
  readonly files: { path: string; text: string }[];
};

function verbOf({ json }: LoggedChange, log: string | undefined): Verb {
  if (json === undefined) return 'Delete';
  return log === undefined || isDeleted(log) ? 'Add' : 'Update';
}

/**
 * All of the message is one paragraph, without a body, because the peer takes the body for a part of the difference.
 */
function toCommit({ author, changes, files }: Planned): CommitFiles {
  const decisions = changes.flatMap(({ decision }) =>
    decision === undefined ? [] : `Decision: ${decision}`,
  );
  const message = [subjectOf(changes), ...decisions].join('\n');
  const { timeStamp: time, authorName: name } = changes.at(-1)!;
  return { message, author: { id: author, name, time }, files };
}

/** Pids that a subject names, and the characters that it shows of one. */
const PIDS_NAMED = 3;
const PID_SHOWN = 100;

function subjectOf(changes: Planned['changes']): string {
  const verbs = new Set(changes.map(({ verb }) => verb));
  const [verb] = verbs.size === 1 ? verbs : ['Change'];
  const pids = changes
    .slice(0, PIDS_NAMED)
    .map(({ pid }) => pid.replaceAll(/[\p{C}\s]+/gu, ' ').slice(0, PID_SHOWN));
  if (changes.length === 1) return `${verb} ${pids[0]}`;
  const more = changes.length > PIDS_NAMED ? ` and ${changes.length - PIDS_NAMED} more` : '';
  return `${verb} ${changes.length} records: ${pids.join(', ')}${more}`;
}

/** The content of the file of a record; of a long one, it is written in a thread. */
async function plannedContent({ pid, json }: LoggedChange, pool: Pool): Promise<string> {
  return json === undefined ? writeContent(pid, json) : runIfLong(pool, yamlOf, json, json.length);
}
