/** When a store was last backed up: noted in the store by `accession backup`, read by the status. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRIVATE_FOLDER } from './paths.ts';

export type LastBackup = {
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly bytes: number;
};

export const LAST_BACKUP_FILE = `${PRIVATE_FOLDER}/last-backup.json`;

/** Notes a finished backup; best effort, since the backup is good without the note. */
export function noteBackup(root: string, bytes: number): void {
  const note: LastBackup = { time: new Date().toISOString(), bytes };
  try {
    writeFileSync(join(root, LAST_BACKUP_FILE), `${JSON.stringify(note)}\n`, { mode: 0o600 });
  } catch {}
}

/** Null if no backup of this store was made, or it is not known. */
export function lastBackup(root: string): LastBackup | null {
  try {
    const { time, bytes } = JSON.parse(readFileSync(join(root, LAST_BACKUP_FILE), 'utf8')) as LastBackup;
    return { time, bytes };
  } catch {
    return null;
  }
}
