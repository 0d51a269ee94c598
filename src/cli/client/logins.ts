/** The services that `accession login` has saved, with their tokens: a file that only its owner can read. */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** What is saved. */
export type Logins = {
  /** The service of commands that name none: the last one that was logged in to. */
  readonly default?: string;
  readonly services: Readonly<Record<string, { readonly token: string }>>;
};

/** The path of the file, by the rules of the system. */
export function loginsFile(environment: NodeJS.ProcessEnv = process.env): string {
  const base =
    environment.XDG_CONFIG_HOME ??
    (process.platform === 'win32' ? environment.APPDATA : undefined) ??
    join(homedir(), '.config');
  return join(base, 'accession', 'logins.json');
}

/** What is saved; nothing without the file. */
export function readLogins(file = loginsFile()): Logins {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Logins;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { services: {} };
    throw error;
  }
}

/** Saves with mode 600, also over a file that had another mode. */
export function saveLogins(logins: Logins, file = loginsFile()): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const beside = `${file}.${process.pid}.tmp`;
  writeFileSync(beside, `${JSON.stringify(logins, undefined, 2)}\n`, { mode: 0o600 });
  chmodSync(beside, 0o600);
  renameSync(beside, file);
}
