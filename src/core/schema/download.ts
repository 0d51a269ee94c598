/**
 * Reads a file from a host or from a disk. Administrators name these URLs, and the service reads them with its own network access, so
 * hosts on the same machine or in a private network are refused unless the operator allows them: also after a redirect, and by the
 * addresses that a name resolves to.
 */
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { notUtf8 } from '#linkml/position.ts';
import { networkFailure } from '../errors.ts';
import { addressGuard, RequestRefusal } from './address-guard.ts';

/** Larger files are refused, in bytes. */
const LARGEST = 50 * 1024 * 1024;
const MOST_REDIRECTS = 5;

/** The content of a file, or why there is none, as a clause. */
export type Answer = { readonly text?: string; readonly missing?: boolean; readonly reason?: string };

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
    if (statusCode === 200) return { text: await textOf(limited(response, most)) };
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
    // Its body may have no end.
    response.destroy();
    target = new URL(headers.location, target);
  }
  throw new RequestRefusal(`more than ${MOST_REDIRECTS} redirects`);
}

async function request(
  url: URL,
  hosts: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  if (!/^https?:$/.test(url.protocol))
    throw new RequestRefusal(`${url.protocol} is not a protocol for schemas`);
  // Threads of the pool have this file, and few of them send requests: loading these would take a seventh of their start.
  const { get } = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const headers = { accept: 'application/yaml, text/yaml, text/plain, */*', 'accept-encoding': 'identity' };
  return responseTo(get(url, { signal, headers, ...addressGuard(url, hosts) }));
}

/** @throws what {@link failureOf} explains */
export function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((found, failed) => {
    sent.on('response', found).on('error', failed);
    // A host that switches protocols: Node ends the connection, without an error.
    sent.on('close', () => failed(new RequestRefusal('the connection ended without a response')));
  });
}

/** @throws RequestRefusal for another encoding than UTF-8 */
async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const bytes = Buffer.concat(await Array.fromAsync(pieces));
  const reason = notUtf8(bytes);
  if (reason !== undefined) throw new RequestRefusal(reason);
  return bytes.toString();
}

/** The pieces of a file. @param most larger files are refused, in bytes. @throws what {@link failureOf} explains */
export async function* limited(pieces: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > most) throw new RequestRefusal(`it is larger than ${most / 2 ** 20} MiB`);
    yield piece;
  }
}

/**
 * The file systems of the kernel, whose files have the environment and the memory of processes in them. Files below `/dev/shm` are
 * those of programs.
 */
const OF_KERNEL = /^\/(?:proc|sys|dev(?!\/shm\/))(?:\/|$)/;

/** @throws RequestRefusal if a path leads, by links too, to what is not a regular file or is a file of the kernel */
export async function openLocal(url: URL): Promise<Readable> {
  // A pipe is opened only when somebody writes to it, and devices have no end.
  if (!(await stat(url)).isFile()) throw new RequestRefusal('it is not a regular file');
  if (OF_KERNEL.test(await realpath(url))) throw new RequestRefusal('it is a file of the kernel');
  return createReadStream(url);
}

export async function readLocal(url: URL, most = LARGEST): Promise<Answer> {
  try {
    return { text: await textOf(limited(await openLocal(url), most)) };
  } catch (error) {
    if (error instanceof RequestRefusal) return { reason: error.message };
    const { code = String(error) } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { missing: true, reason: 'the file does not exist' };
    return { reason: `the system reports ${code}` };
  }
}
