/** Which service runs on a store, and where: noted in the store while it runs. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRIVATE_FOLDER } from '../../config/paths.ts';
import { DATABASE_FILE, noteFile, noteOfDatabase } from '../../config/store-directory.ts';

export type RunningService = { readonly url: string; readonly process: number };

const FILE = 'service.json';

/** Notes the service of this process; best effort, since a full disk must not stop a service. */
export function noteRunning(store: string, url: string): void {
  try {
    const note: RunningService = { url, process: process.pid };
    writeFileSync(join(store, PRIVATE_FOLDER, FILE), `${JSON.stringify(note)}\n`, { mode: 0o600 });
  } catch {}
}

/** Removes the note. */
export function forgetRunning(store: string): void {
  rmSync(join(store, PRIVATE_FOLDER, FILE), { force: true });
}

/** The service that runs on a store; undefined if there is none, also after a crash. */
export function runningService(store: string): RunningService | undefined {
  try {
    const note = JSON.parse(readFileSync(join(store, PRIVATE_FOLDER, FILE), 'utf8')) as RunningService;
    return isRunning(note.process) ? note : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Explains that the last service on a store has crashed and the log of its database is gone; undefined if that is not so. */
export function lostLog(store: string): string | undefined {
  const hasDatabase =
    existsSync(join(store, DATABASE_FILE)) && !existsSync(join(store, `${DATABASE_FILE}-wal`));
  if (!hasDatabase || !existsSync(join(store, PRIVATE_FOLDER, FILE)) || runningService(store))
    return undefined;
  return `The last service did not stop by itself, and ${DATABASE_FILE}-wal is missing: its last changes may be lost.`;
}

/**
 * Notes in a store directory that its service has the configuration in a database, or no longer does. What else is in
 * the directory is then of an earlier time, and has to be taken for that.
 */
export function noteDatabase(store: string, isUsed: boolean): void {
  const file = noteFile(store);
  try {
    if (!isUsed) rmSync(file, { force: true });
    if (!isUsed || noteOfDatabase(store) !== undefined) return;
    mkdirSync(join(store, PRIVATE_FOLDER), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${JSON.stringify({ since: new Date().toISOString() })}\n`, { mode: 0o600 });
  } catch {}
}
