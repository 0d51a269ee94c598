/**
 * Reads a file from a host or from a disk. Administrators name these URLs, and the service reads them with its own network access, so
 * hosts on the same machine or in a private network are refused unless the operator allows them: also after a redirect, and by the
 * addresses that a name resolves to.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { fileURLToPath } from 'node:url';
import { networkFailure } from '../../errors.ts';
import { addressGuard, RequestRefusal } from './address-guard.ts';

/** Larger files are refused, in bytes. */
const LARGEST = 50 * 1024 * 1024;
const MOST_REDIRECTS = 5;

/** The content of a file, or why there is none, as a clause. */
export type Answer = { readonly text?: string; readonly missing?: boolean; readonly reason?: string };

const tooLarge = (most: number) => `it is larger than ${most / 2 ** 20} MiB`;

/**
 * @param timeout in milliseconds, for everything
 * @param hosts the hosts that may have such an address, as in URLs; undefined lets all
 * @param most larger files are refused, in bytes
 */
export async function download(
  url: URL,
  timeout: number,
  hosts: readonly string[] | undefined,
  most = LARGEST,
): Promise<Answer> {
  const signal = AbortSignal.timeout(timeout);
  try {
    const response = await responseOf(url, hosts, signal);
    const { statusCode = 0 } = response;
    if (statusCode === 200) return { text: await textOf(response, most) };
    response.destroy();
    return { missing: statusCode === 404 || statusCode === 410, reason: `the host answers ${statusCode}` };
  } catch (error) {
    return { reason: signal.aborted ? `no answer within ${timeout} ms` : failureOf(error) };
  }
}

/** Why a request of {@link responseOf} failed, as a clause. */
export function failureOf(error: unknown): string {
  return error instanceof RequestRefusal ? error.message : networkFailure({ cause: error });
}

/** The response to a request and its redirects, whatever its status. @throws what {@link failureOf} explains */
export async function responseOf(
  url: URL,
  hosts: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  let target = url;
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const response = await request(target, hosts, signal);
    const { statusCode = 0, headers } = response;
    if (statusCode < 300 || statusCode >= 400 || headers.location === undefined) return response;
    response.resume();
    target = new URL(headers.location, target);
  }
  throw new RequestRefusal(`more than ${MOST_REDIRECTS} redirects`);
}

function request(
  url: URL,
  hosts: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  if (!/^https?:$/.test(url.protocol))
    throw new RequestRefusal(`${url.protocol} is not a protocol for schemas`);
  const get = url.protocol === 'https:' ? getHttps : getHttp;
  return new Promise((found, failed) => {
    get(
      url,
      {
        signal,
        headers: { accept: 'application/yaml, text/yaml, text/plain, */*', 'accept-encoding': 'identity' },
        ...addressGuard(url, hosts),
      },
      found,
    ).on('error', failed);
  });
}

async function textOf(response: IncomingMessage, most: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) throw new RequestRefusal(tooLarge(most));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export async function readLocal(url: URL, most = LARGEST): Promise<Answer> {
  const path = fileURLToPath(url);
  try {
    // A pipe is opened only when somebody writes to it, and devices have no end.
    if (!(await stat(path)).isFile()) return { reason: 'it is not a regular file' };
    const chunks: Buffer[] = [];
    for await (const chunk of createReadStream(path, { end: most })) chunks.push(chunk);
    const content = Buffer.concat(chunks);
    return content.length <= most ? { text: content.toString() } : { reason: tooLarge(most) };
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { missing: true, reason: 'the file does not exist' };
    return { reason: `the system reports ${code}` };
  }
}
