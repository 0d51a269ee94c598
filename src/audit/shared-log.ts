/**
 * Logs that are open in this process, by directory. A collection may open its log again while its former self still
 * answers requests; two collections may not share one, since an entry does not say whose record it is about.
 */
import { mkdir, realpath } from 'node:fs/promises';
import { ServiceError } from '../errors.ts';
import type { AuditLog } from './audit-log.ts';

type Shared = { readonly owner: string; readonly log: Promise<AuditLog>; users: number };

const open = new Map<string, Shared>();
/** Logs that are being closed: they must be, before they are opened again. */
const closing = new Map<string, Promise<void>>();

/**
 * Opens a log, or shares the one that the same owner has open.
 *
 * @param owner the collection; the log is closed when it has closed it as often as it has opened it
 * @throws ServiceError `store_incompatible` where another collection has it open
 */
export async function shareLog(
  directory: string,
  owner: string,
  openLog: (path: string) => Promise<AuditLog>,
): Promise<AuditLog> {
  await mkdir(directory, { recursive: true });
  const path = await realpath(directory);
  await closing.get(path);
  const known = open.get(path);
  if (known && known.owner !== owner) {
    throw new ServiceError(
      'store_incompatible',
      `The path of the audit log belongs to the collection '${known.owner}'; '${owner}' needs one of its own, since an entry does not say which collection it is about.`,
    );
  }
  const shared = known ?? { owner, log: openLog(path), users: 0 };
  open.set(path, shared);
  shared.users++;
  try {
    const log = await shared.log;
    return handle(log, () => leave(path, shared, log));
  } catch (error) {
    if (open.get(path) === shared) open.delete(path);
    throw error;
  }
}

function handle(log: AuditLog, close: () => Promise<void>): AuditLog {
  let closed: Promise<void> | undefined;
  return {
    announce: (changes) => log.announce(changes),
    unresolved: () => log.unresolved(),
    history: (pids) => log.history(pids),
    flush: () => log.flush(),
    faults: () => log.faults(),
    close() {
      closed ??= close();
      return closed;
    },
  };
}

async function leave(path: string, shared: Shared, log: AuditLog): Promise<void> {
  shared.users--;
  if (shared.users > 0) return;
  open.delete(path);
  const end = log.close().finally(() => closing.delete(path));
  closing.set(path, end);
  await end;
}
