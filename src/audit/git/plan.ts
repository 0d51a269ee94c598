/** Which commits bring entries into the repository. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Threads } from '../../work/threads.ts';
import type { CommitFiles } from './commit-writer.ts';
import { entryLocation, writeContent, writeLogLine } from './layout.ts';
import type { ObjectReader } from './object-reader.ts';

/** A change on its way to git. */
export type LoggedChange = {
  readonly pid: string;
  readonly timeStamp: string;
  readonly committerId: string;
  readonly authorId: string;
  /** Canonical JSON; undefined for a delete. */
  readonly json: string | undefined;
  /** The position of the log after this change, for the message of its commit. */
  readonly position: string;
  /** The id of the decision that made it, or that it takes back. */
  readonly decision?: string | undefined;
};

/**
 * The most records in one commit. Every commit writes the root of the tree again, with up to 4096 folders, so
 * that a crowd of small commits costs more than the records in them.
 */
const COMMIT_RECORDS = 500;

/** A plan ends when its files hold so many characters: each change of a record brings its whole `.log` along. */
export const MOST_TEXT = 16 << 20;
/** So many changes are planned in one go, before others get a turn. */
const PLANNED_AT_ONCE = 25;

/** Records with more characters are written as YAML in a thread. */
const LONG_CHANGE = 64 * 1024;

export type Plan = {
  /** How many of the changes it covers, from the first one on. */
  readonly taken: number;
  readonly commits: readonly CommitFiles[];
  /** Changes that cannot be written, and why. They are left out. */
  readonly skipped: readonly { readonly change: LoggedChange; readonly error: unknown }[];
  /** The records that the repository does not have yet. */
  readonly newPids: readonly string[];
};

/**
 * @param tip the commit that the commits come after
 * @throws ServiceError `audit_failed` if git cannot be read
 */
export async function planCommits(
  changes: readonly LoggedChange[],
  tip: string,
  reader: ObjectReader,
  threads: Threads,
): Promise<Plan> {
  /** The `.log` of each record. */
  const logs = new Map<string, string>();
  const newPids: string[] = [];
  const commits: { message: string; files: { path: string; text: string }[]; decisions: string[] }[] = [];
  const skipped: { change: LoggedChange; error: unknown }[] = [];
  let inCommit = new Set<string>();
  let taken = 0;
  let text = 0;
  for (const [i, change] of changes.entries()) {
    if (text > MOST_TEXT) break;
    if (i % PLANNED_AT_ONCE === PLANNED_AT_ONCE - 1) await nextTurn();
    taken++;
    let content: string;
    try {
      content = await plannedContent(change, threads);
    } catch (error) {
      skipped.push({ change, error });
      continue;
    }
    const location = entryLocation(change.pid);
    const known = logs.get(location.key) ?? (await reader.read(`${tip}:${location.log}`))?.content.toString();
    if (known === undefined) newPids.push(change.pid);
    if (commits.length === 0 || inCommit.has(location.key) || inCommit.size >= COMMIT_RECORDS) {
      commits.push({ message: '', files: [], decisions: [] });
      inCommit = new Set();
    }
    inCommit.add(location.key);
    const log = (known ?? '') + writeLogLine({ ...change, deleted: change.json === undefined });
    logs.set(location.key, log);
    text += content.length + log.length;
    const commit = commits.at(-1) as (typeof commits)[number];
    if (change.decision !== undefined) commit.decisions.push(change.decision);
    commit.message = messageOf(change.position, commit.decisions);
    commit.files.push({ path: location.yaml, text: content }, { path: location.log, text: log });
  }
  return { taken, commits, skipped, newPids };
}

/** The content of the file of a record; of a long one, it is written in a thread. */
async function plannedContent({ pid, json }: LoggedChange, threads: Threads): Promise<string> {
  if (json === undefined || json.length < LONG_CHANGE) return writeContent(pid, json);
  return threads.result<string>('write YAML', json);
}

/**
 * The position is in the message, so it moves with the branch in one step. All of the message is one paragraph, without a
 * body, because the peer takes the body for a part of the difference.
 */
function messageOf(position: string, decisions: readonly string[]): string {
  return [`${POSITION} ${position}`, ...decisions.map((id) => `Decision: ${id}`)].join('\n');
}

/** How the subject of a commit begins that says up to which entry the log follows an area. */
export const POSITION = 'persist changes up to';
