/** Reads the text at a `policy_info_location`, by the rules of schema addresses. Reasons name neither the document nor its path. */
import { TIMEOUT } from '../durations.ts';
import { ServiceError } from '../errors.ts';
import { download, readLocal } from '../schema/load/download.ts';
import { urlOf } from '../schema/load/remote.ts';

/** Larger documents are refused, in bytes: they are parsed where requests wait, as the same keys of a collection are. */
const LARGEST_POLICIES = 2 ** 23;

/**
 * @param hosts on this machine or link that may be asked; undefined lets all
 * @throws ServiceError `policy_info_unreadable`
 */
export async function readPolicyText(address: string, hosts?: readonly string[]): Promise<string> {
  const url = addressed(address);
  const { text, reason } =
    url.protocol === 'file:'
      ? await readLocal(url, LARGEST_POLICIES)
      : await download(url, TIMEOUT.host, hosts, LARGEST_POLICIES);
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

function unreadable(reason: string): ServiceError {
  return new ServiceError('policy_info_unreadable', `The policy information cannot be read: ${reason}.`);
}
