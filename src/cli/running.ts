/** Which service runs on a store, and where: noted in the store while it runs. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PRIVATE_FOLDER } from '../config/paths.ts';

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
