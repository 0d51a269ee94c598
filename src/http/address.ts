/** Addresses of clients, as limits count them. */
import { isIPv6 } from 'node:net';

/** Whether a client runs on this machine, or a proxy on this machine does not report where it runs. */
export function isLoopback(ip: string): boolean {
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
