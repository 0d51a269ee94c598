/** Which service runs on a store, and where: noted in the store while it runs. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { noteFile, readNote, removeNote, writeNote } from '../../config/notes.ts';
import { DATABASE_FILE } from '../../config/store-directory.ts';

/** The service that runs on a store; undefined if there is none, also after a crash. */
export function runningService(store: string) {
  const note = readNote(store, 'service');
  return note && isRunning(note.process) ? note : undefined;
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
  if (!hasDatabase || !existsSync(join(store, noteFile('service'))) || runningService(store))
    return undefined;
  return `The last service did not stop by itself, and ${DATABASE_FILE}-wal is missing: its last changes may be lost.`;
}

/**
 * Notes in a store directory that its service has the configuration in a database, or no longer does. What else is in
 * the directory is then of an earlier time, and has to be taken for that.
 */
export function noteDatabase(store: string, isUsed: boolean): void {
  if (!isUsed) removeNote(store, 'database');
  else if (!readNote(store, 'database')) writeNote(store, 'database', { since: new Date().toISOString() });
}
