/** Reads the text at a `policy_info_location`, by the rules of schema addresses. Reasons name neither the document nor its path. */
import { open } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ServiceError } from '../errors.ts';
import { download } from '../schema/load/download.ts';
import { urlOf } from '../schema/load/remote.ts';

/** In milliseconds. */
const TIMEOUT = 10_000;
/** In bytes. */
const LARGEST = 50 * 1024 * 1024;

/**
 * @param hosts on this machine or link that may be asked; undefined lets all
 * @throws ServiceError `policy_info_unreadable`
 */
export async function readPolicyText(address: string, hosts?: readonly string[]): Promise<string> {
  const url = addressed(address);
  if (url.protocol === 'file:') return readFileText(url);
  const { text, reason } = await download(url, TIMEOUT, hosts);
  if (text === undefined) throw unreadable(reason ?? 'the host does not answer');
  return text;
}

function addressed(address: string): URL {
  try {
    return urlOf(address);
  } catch {
    throw unreadable('the location is neither a path nor a URL');
  }
}

async function readFileText(url: URL): Promise<string> {
  try {
    const file = await open(fileURLToPath(url));
    try {
      const { size } = await file.stat();
      if (size > LARGEST) throw unreadable('the file is too large');
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw unreadable(
      code === 'ENOENT' || code === 'ENOTDIR' ? 'there is no such file' : `the file fails (${code})`,
    );
  }
}

function unreadable(reason: string): ServiceError {
  return new ServiceError('policy_info_unreadable', `The policy information cannot be read: ${reason}.`);
}
