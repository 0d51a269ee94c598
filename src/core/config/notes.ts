/** Notes about a store in its private folder, for processes that do not have its database open. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRIVATE_FOLDER } from './paths.ts';

type Notes = {
  /** The service that runs on the store. */
  readonly service: { readonly url: string; readonly process: number };
  /** Since when the service of the store has used a PostgreSQL database, ISO 8601. */
  readonly database: { readonly since: string };
  /** The last backup; ISO 8601, UTC. */
  readonly 'last-backup': { readonly time: string; readonly bytes: number };
};
type Name = keyof Notes;

/** Its path in the store. */
export const noteFile = (name: Name) => `${PRIVATE_FOLDER}/${name}.json`;

/** Best effort, as {@link removeNote}: a full disk must not stop a service, and a backup is good without the note. */
export function writeNote<N extends Name>(store: string, name: N, note: Notes[N]): void {
  try {
    mkdirSync(join(store, PRIVATE_FOLDER), { recursive: true, mode: 0o700 });
    writeFileSync(join(store, noteFile(name)), `${JSON.stringify(note)}\n`, { mode: 0o600 });
  } catch {}
}

/** Undefined if there is none that can be read. */
export function readNote<N extends Name>(store: string, name: N): Notes[N] | undefined {
  try {
    return JSON.parse(readFileSync(join(store, noteFile(name)), 'utf8')) as Notes[N];
  } catch {
    return undefined;
  }
}

export function removeNote(store: string, name: Name): void {
  try {
    rmSync(join(store, noteFile(name)), { force: true });
  } catch {}
}
