/** `accession login` and `logout`. */
import { ClientError, connect } from '../../client/client.ts';
import { UsageError } from '../outcome.ts';
import { readSecret } from '../read-secret.ts';
import { loginsFile, readLogins, saveLogins } from './logins.ts';

/** Saves the token of a service after asking the service about it. */
export async function login(address: string): Promise<number> {
  const url = address.replace(/\/+$/, '');
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
    // A service that has no such endpoint can still be used.
    if (error instanceof ClientError && error.status === 404) return 'logged in';
    throw error;
  }
}
