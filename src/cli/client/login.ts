/** `accession login` and `logout`: the services with their tokens, in a file that only its owner can read. */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { ClientError, connect } from '../../client/client.ts';
import { makeDirectory, replaceFile } from '../new-file.ts';
import { UsageError } from '../outcome.ts';
import { readSecret } from '../read-secret.ts';

/** Saves the token of a service after asking the service about it. */
export async function login(address: string): Promise<number> {
  // The address of a page of the desk, or of another of ours, is that of the service with more behind it.
  const url = address.replace(/\/-(\/.*)?$/, '').replace(/\/+$/, '');
  if (!/^https?:\/\//.test(url)) throw new UsageError(`URL: expected http:// or https://, found '${url}'.`);
  const token = (await readSecret('Token')).trim();
  if (token === '') throw new UsageError('The token is empty.');
  const who = await whoIs(url, token);
  const logins = readLogins();
  saveLogins({ default: url, services: { ...logins.services, [url]: { token } } });
  process.stderr.write(`${who}; saved in ${loginsFile()}\n`);
  return 0;
}

/** Removes the token of a service. */
export async function logout(address?: string): Promise<number> {
  const { default: usual, services } = readLogins();
  const url = (address ?? usual ?? '').replace(/\/+$/, '');
  const { [url]: gone, ...rest } = services;
  if (!gone) throw new UsageError(`No login for '${url}' is saved.`);
  saveLogins({ ...(usual !== undefined && usual !== url && { default: usual }), services: rest });
  return 0;
}

async function whoIs(url: string, token: string): Promise<string> {
  try {
    const { user_id, admin, collections } = await connect({ url, token }).me();
    const names = Object.keys(collections);
    const where = names.length > 0 ? ` in ${names.join(', ')}` : '';
    return `logged in as ${user_id ?? 'an unknown user'}${admin ? ', an administrator' : ''}${where}`;
  } catch (error) {
    if (!(error instanceof ClientError) || error.status !== 404) throw error;
    throw new UsageError(`There is no service at ${url}: ${url}/-/me returns 404. Is the path too long?`);
  }
}

/** The saved tokens. */
type Logins = {
  /** The service of commands that name none: the last one that was logged in to. */
  readonly default?: string;
  readonly services: Readonly<Record<string, { readonly token: string }>>;
};

/** The path of the file, by the rules of the system. */
function loginsFile(): string {
  const { XDG_CONFIG_HOME, APPDATA } = process.env;
  const base =
    XDG_CONFIG_HOME ?? (process.platform === 'win32' ? APPDATA : undefined) ?? join(homedir(), '.config');
  return join(base, 'accession', 'logins.json');
}

/** Reads the saved tokens; none without the file. */
export function readLogins(): Logins {
  try {
    return JSON.parse(readFileSync(loginsFile(), 'utf8')) as Logins;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { services: {} };
    throw error;
  }
}

/** Saves with mode 600, also over a file that had another mode. */
function saveLogins(logins: Logins): void {
  const file = loginsFile();
  makeDirectory(dirname(file), 0o700);
  replaceFile(file, `${JSON.stringify(logins, undefined, 2)}\n`, 0o600);
}
