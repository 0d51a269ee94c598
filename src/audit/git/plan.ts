/** Which commits bring entries into the repository, and what the index gets to know of them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Threads } from '../../jobs/threads.ts';
import type { CommitFiles } from './commit-writer.ts';
import type { EntryIndex, RecordUpdate } from './entry-index.ts';
import { blobName, entryLocation, writeContent, writeLogLine } from './layout.ts';
import type { ObjectReader } from './object-reader.ts';

/** A change on its way to git. */
export type LoggedChange = {
  readonly pid: string;
  readonly timeStamp: string;
  readonly committerId: string;
  readonly authorId: string;
  /** Canonical JSON; undefined for a delete. */
  readonly json: string | undefined;
  /** The position of the log after this change, for the message of its commit; without one it may be in git already. */
  readonly position?: string;
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
  /** What the index gets, given the names of the commits. */
  updates(names: readonly string[]): RecordUpdate[];
};

/** A record while its changes are planned. */
type CommitDraft = {
  readonly key: string;
  readonly pid: string;
  readonly before: number;
  logText: string;
  yaml: string;
  readonly added: { readonly commit: number; readonly yaml: string }[];
};

/** @throws ServiceError `audit_failed` where git cannot be read */
export async function planCommits(
  changes: readonly LoggedChange[],
  index: Pick<EntryIndex, 'record'>,
  reader: ObjectReader,
  threads: Threads,
): Promise<Plan> {
  const drafts = new Map<string, CommitDraft>();
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
    const draft = drafts.get(location.key) ?? (await beginDraft(location.key, change.pid, index, reader));
    drafts.set(location.key, draft);
    if (change.position === undefined && draft.logText.includes(JSON.stringify(change.timeStamp))) continue;
    if (commits.length === 0 || inCommit.has(location.key) || inCommit.size >= COMMIT_RECORDS) {
      commits.push({ message: '', files: [], decisions: [] });
      inCommit = new Set();
    }
    inCommit.add(location.key);
    draft.logText += writeLogLine({ ...change, deleted: change.json === undefined });
    text += content.length + draft.logText.length;
    draft.yaml = blobName(content);
    draft.added.push({ commit: commits.length - 1, yaml: draft.yaml });
    const commit = commits.at(-1) as (typeof commits)[number];
    if (change.decision !== undefined) commit.decisions.push(change.decision);
    commit.message = messageOf(change.position, commit.decisions);
    commit.files.push({ path: location.yaml, text: content }, { path: location.log, text: draft.logText });
  }
  const changed = [...drafts.values()].filter(({ added }) => added.length > 0);
  return {
    taken,
    commits,
    skipped,
    updates: (names) => changed.map((draft) => finish(draft, names)),
  };
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
function messageOf(position: string | undefined, decisions: readonly string[]): string {
  const subject = position === undefined ? 'persist changes' : `${POSITION} ${position}`;
  return [subject, ...decisions.map((id) => `Decision: ${id}`)].join('\n');
}

/** How the subject of a commit begins that says up to which entry the log follows an area. */
export const POSITION = 'persist changes up to';

async function beginDraft(
  key: string,
  pid: string,
  index: Pick<EntryIndex, 'record'>,
  reader: ObjectReader,
): Promise<CommitDraft> {
  const known = index.record(key);
  const logText = known ? await reader.text(known.log) : '';
  return { key, pid, before: known?.entries ?? 0, logText, yaml: '', added: [] };
}

function finish(
  { key, pid, before, logText, yaml, added }: CommitDraft,
  names: readonly string[],
): RecordUpdate {
  return {
    key,
    newPid: before === 0 ? pid : undefined,
    entries: before + added.length,
    log: blobName(logText),
    yaml,
    added: added.map((entry) => ({ ...entry, commit: names[entry.commit] ?? '' })),
  };
}
