/** Which commits bring pending changes into the repository, and what the index gets to know of them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EntryIndex, RecordUpdate } from './entry-index.ts';
import type { CommitFiles } from './importer.ts';
import type { Announced, TimedChange } from './journal-files.ts';
import { blobName, locationOf, writeContent, writeLogLine } from './layout.ts';
import type { ObjectReader } from './object-reader.ts';

/** A change that is confirmed, on its way to git. */
export type Pending = {
  readonly change: TimedChange;
  /** Set on the last change of an announcement. */
  readonly completes: Announced | undefined;
  /** It may be in git already: an earlier run, or an earlier try, may have brought it there. */
  doubtful: boolean;
};

/**
 * So many records share a commit at most. Every commit writes the root of the tree anew, with up to 4096 folders, so
 * that a crowd of small commits costs more than the records in them.
 */
const COMMIT_RECORDS = 500;

/** A plan ends when its files hold so many characters: each change of a record brings its whole `.log` along. */
const MOST_TEXT = 16 << 20;
/** So many changes are planned in one go, before others get a turn. */
const STRIDE = 25;

export type Plan = {
  /** How many of the changes it covers, from the first one on. */
  readonly taken: number;
  readonly commits: readonly CommitFiles[];
  /** What the index gets, given the names of the commits. */
  updates(names: readonly string[]): RecordUpdate[];
};

/** A record while its changes are planned. */
type Draft = {
  readonly key: string;
  readonly pid: string;
  readonly before: number;
  logText: string;
  yaml: string;
  readonly added: { readonly commit: number; readonly yaml: string }[];
};

/** @throws ServiceError `audit_failed` where git can't be read */
export async function planCommits(
  pending: readonly Pending[],
  index: Pick<EntryIndex, 'record'>,
  reader: ObjectReader,
): Promise<Plan> {
  const drafts = new Map<string, Draft>();
  const commits: { message: string; files: { path: string; text: string }[] }[] = [];
  let inCommit = new Set<string>();
  let taken = 0;
  let text = 0;
  for (const [i, { change, doubtful }] of pending.entries()) {
    if (text > MOST_TEXT) break;
    if (i % STRIDE === STRIDE - 1) await nextTurn();
    taken++;
    const location = locationOf(change.pid);
    const draft = drafts.get(location.key) ?? (await beginDraft(location.key, change.pid, index, reader));
    drafts.set(location.key, draft);
    if (doubtful && draft.logText.includes(JSON.stringify(change.timeStamp))) continue;
    if (commits.length === 0 || inCommit.has(location.key) || inCommit.size >= COMMIT_RECORDS) {
      commits.push({ message: 'persist changes', files: [] });
      inCommit = new Set();
    }
    inCommit.add(location.key);
    const content = writeContent(change.pid, change.json);
    draft.logText += writeLogLine({ ...change, deleted: change.json === undefined });
    text += content.length + draft.logText.length;
    draft.yaml = blobName(content);
    draft.added.push({ commit: commits.length - 1, yaml: draft.yaml });
    commits
      .at(-1)
      ?.files.push({ path: location.yaml, text: content }, { path: location.log, text: draft.logText });
  }
  const changed = [...drafts.values()].filter(({ added }) => added.length > 0);
  return {
    taken,
    commits,
    updates: (names) => changed.map((draft) => finish(draft, names)),
  };
}

async function beginDraft(
  key: string,
  pid: string,
  index: Pick<EntryIndex, 'record'>,
  reader: ObjectReader,
): Promise<Draft> {
  const known = index.record(key);
  const logText = known ? await reader.text(known.log) : '';
  return { key, pid, before: known?.entries ?? 0, logText, yaml: '', added: [] };
}

function finish({ key, pid, before, logText, yaml, added }: Draft, names: readonly string[]): RecordUpdate {
  return {
    key,
    newPid: before === 0 ? pid : undefined,
    entries: before + added.length,
    log: blobName(logText),
    yaml,
    added: added.map((entry) => ({ ...entry, commit: names[entry.commit] ?? '' })),
  };
}
