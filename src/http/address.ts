/** Addresses of clients, as limits count them. */
import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

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
