/** Who a client is, from its request alone: its address, as limits count it, and its token. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { ServiceError } from '../errors.ts';

/**
 * The address of a client. A proxy on this machine is trusted to report it in `X-Forwarded-For`. Undefined for programs
 * on this machine, and for clients of a proxy that does not report their addresses: these are not distinguished.
 */
export function clientAddress({ socket, headers }: IncomingMessage): string | undefined {
  const { remoteAddress } = socket;
  if (remoteAddress === undefined) return undefined;
  if (!isLoopback(remoteAddress)) return addressKey(remoteAddress);
  const forwarded = headers['x-forwarded-for'];
  if (forwarded === undefined) return undefined;
  const reported = String(forwarded)
    .split(',')
    .map((part) => part.trim())
    .findLast((part) => part !== '' && !isLoopback(part));
  return reported === undefined ? undefined : addressKey(reported);
}

function isLoopback(ip: string): boolean {
  return ip.startsWith('127.') || ip === '::1' || ip.startsWith('::ffff:127.');
}

/** The address; of IPv6 the first 64 bits, since a client usually has all addresses below them. */
export function addressKey(ip: string): string {
  if (!isIPv6(ip) || ip.startsWith('::ffff:')) return ip;
  const [head = '', tail] = ip.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - first.length - last.length);
  return [...first, ...Array(zeros).fill('0'), ...last].slice(0, 4).join(':');
}

/** The headers that tokens are taken from: ours, the one of the peer's clients, and the standard one. */
const TOKEN_HEADERS = ['x-service-token', 'x-dumpthings-token', 'authorization'] as const;

/**
 * The token of a request; undefined for none, as for an empty header.
 *
 * @throws ServiceError `header_conflict`
 */
export function presentedToken(headers: IncomingHttpHeaders): string | undefined {
  let token: string | undefined;
  for (const name of TOKEN_HEADERS) {
    const given = name === 'authorization' ? bearerToken(headers.authorization) : headers[name];
    if (given === undefined || given === '') continue;
    if (token !== undefined && token !== String(given)) {
      throw new ServiceError(
        'header_conflict',
        'The headers X-Service-Token, X-DumpThings-Token and Authorization have different tokens. Send one of them.',
      );
    }
    token = String(given);
  }
  return token;
}

function bearerToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^bearer +(.*\S) *$/i.exec(header)?.[1];
}
