/**
 * The projection of the entries of an area into the repository of its log, and where it continues: at its cursor in the
 * database, or at its beginning if the repository lacks the last entry before the cursor. Entries that the repository has are
 * recognized.
 */

import type { UserNames } from '../../../core/access/user-names.ts';
import { ServiceError } from '../../../core/errors.ts';
import { type Cursor, readCursor, setCursor } from '../../../core/storage/cursors.ts';
import type { Entry } from '../../../core/storage/store.ts';
import type { Projection } from '../../../core/work/projections.ts';
import type { EntrySource } from '../audit-log.ts';
import type { AuditBackendConfig } from '../configuration.ts';
import type { GitLog } from './git-log.ts';
import type { LoggedChange } from './plan.ts';

/** The cursor of a log in the area that it follows. Its version is the revision at which the log began to follow the area. */
export const auditCursor = (name: string) => `audit ${name}`;

function rowOf(name: string, { database, store }: EntrySource): Promise<Cursor | undefined> {
  return readCursor(database, auditCursor(name), store.area.id);
}

/** The revision up to which a log has the entries of its area. */
export async function positionOf(name: string, source: EntrySource): Promise<number> {
  return (await rowOf(name, source))?.[0] ?? 0;
}

/**
 * Begins to follow an area at its next change, or continues.
 *
 * @returns the projection, and what compares the repository with the cursor
 * @throws ServiceError `store_incompatible` for an empty area whose log has records, unless it was empty when it was adopted: it was lost
 */
export async function exportInto(
  git: GitLog,
  { path: name, auto_flush_timeout }: AuditBackendConfig,
  owner: string,
  source: EntrySource & { readonly names: UserNames },
): Promise<Projection> {
  const { database, store, isAdopted = false, select = (entry) => entry } = source;
  const cursor = auditCursor(name);
  const { id } = store.area;
  if (!(await rowOf(name, source))) {
    const revision = await store.revision();
    const isEmpty = revision === 0 && !isAdopted;
    if (isEmpty && (await git.hasRecords().catch(() => false))) throw lostArea(owner, name);
    await database.transact(async (draft) => {
      // Another instance may have begun meanwhile.
      if (!(await readCursor(draft, cursor, id))) setCursor(draft, cursor, id, [revision, String(revision)]);
    });
  }
  const [, begun] = (await rowOf(name, source))!;

  /** Whether the repository has the entries up to the cursor. If not, the cursor goes back to the beginning. */
  async function continues(): Promise<boolean> {
    const reached = await positionOf(name, source);
    const [last] = await store.entries({ before: reached + 1, newestFirst: true, limit: 1 });
    const logged = last && last.revision > Number(begun) ? select(last) : undefined;
    if (!logged || (await git.has(logged))) return true;
    await database.transact(async (draft) => setCursor(draft, cursor, id, [Number(begun), begun]));
    return false;
  }

  // A repository that cannot be read now is reported by the first export.
  if (git.isOpen) await continues().catch(() => {});
  let compared: unknown;
  return {
    name: `audit log ${name}`,
    collection: owner,
    cursor,
    version: begun,
    reads: 'entries',
    delay: auto_flush_timeout * 1000,
    leaderOnly: true,
    places: [store.area.path],
    async apply(entries) {
      // An instance that begins to lead may have a repository of its own. If the cursor goes back, this step is void.
      const opened = await git.open();
      if (compared !== opened && !(await continues())) return;
      compared = opened;
      const selected = entries.flatMap((entry) => select(entry) ?? []);
      const names = await source.names([...new Set(selected.flatMap(({ author }) => author ?? []))]);
      await git.write(selected.map((entry) => toChange(entry, names)));
    },
  };
}

function lostArea(owner: string, name: string): ServiceError {
  return new ServiceError(
    'store_incompatible',
    `The area of '${owner}' is empty, but its audit log ${name} has records. Restore the area from a backup, or move the audit log away to start empty.`,
  );
}

/** The message of entries of other programs. */
const UNKNOWN = 'unknown';

function toChange(
  { pid, time, committer, author, json, decision }: Entry,
  names: ReadonlyMap<string, string>,
): LoggedChange {
  return {
    pid,
    timeStamp: time,
    decision,
    committerId: committer ?? UNKNOWN,
    authorId: author ?? UNKNOWN,
    authorName: names.get(author ?? ''),
    json: json ?? undefined,
  };
}
