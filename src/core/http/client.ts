/** Who a client is, from its request alone: its address, as limits count it, and its token. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { BlockList, isIP, isIPv6, type Socket } from 'node:net';
import { ServiceError } from '../errors.ts';

type End = { readonly address: string; readonly isProxy: boolean };

/** Proxies that are trusted to report the addresses of their clients: on this machine, and those that the operator names. */
export class Proxies {
  readonly #trusted = new BlockList();
  /** Each connection is judged once, not for each request. */
  readonly #ends = new WeakMap<Socket, End>();

  /** @param others addresses and subnets such as `10.0.0.0/8` */
  constructor(others: readonly string[] = []) {
    for (const one of ['127.0.0.0/8', '::1', ...others]) {
      const { address, prefix } = subnetOf(one) as Subnet;
      this.#trusted.addSubnet(address, prefix, familyOf(address));
    }
  }

  /**
   * The address of a client, from `X-Forwarded-For` if a proxy reports it. Undefined for programs on this machine, and for
   * clients of a proxy that does not report their addresses: these are not distinguished.
   */
  clientAddress({ socket, headers }: IncomingMessage): string | undefined {
    const { address, isProxy } = this.endOf(socket);
    if (!isProxy) return address || undefined;
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined) return undefined;
    const addresses = String(forwarded).split(',').map(plainAddress);
    const reported = addresses.findLast((part) => isIP(part) && !this.#isTrusted(part));
    return reported === undefined ? undefined : addressKey(reported);
  }

  /** The other end of a connection. */
  endOf(socket: Socket): End {
    const known = this.#ends.get(socket);
    if (known !== undefined) return known;
    // A connection that has ended has no address.
    if (socket.remoteAddress === undefined) return { address: '', isProxy: false };
    const address = plainAddress(socket.remoteAddress);
    const end = { address: addressKey(address), isProxy: this.#isTrusted(address) };
    this.#ends.set(socket, end);
    return end;
  }

  #isTrusted(address: string): boolean {
    return this.#trusted.check(address, familyOf(address));
  }
}

/**
 * Whom the share of a request is taken from: its token, or its address if it has none. Undefined for a client that cannot
 * be distinguished from others.
 */
export function clientKey(address: string | undefined, headers: IncomingHttpHeaders): string | undefined {
  const token = readableToken(headers);
  return token === undefined ? address : `token ${token}`;
}

type Subnet = { readonly address: string; readonly prefix: number };

/** An address, or a subnet like `10.0.0.0/8`; undefined for anything else. */
export function subnetOf(text: string): Subnet | undefined {
  const [address = '', length, ...more] = text.split('/');
  const most = isIPv6(address) ? 128 : 32;
  const prefix = length === undefined ? most : /^\d+$/.test(length) ? Number(length) : Number.NaN;
  return isIP(address) && more.length === 0 && prefix <= most ? { address, prefix } : undefined;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

/** An address without the port that some gateways add, and without the form of IPv4 inside of IPv6. */
function plainAddress(text: string): string {
  const ip = text
    .trim()
    .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1');
  return ip.replace(/^::ffff:(?=[\d.]+$)/i, '');
}

/** The address; of IPv6 the first 64 bits, since a client usually has all addresses below them. */
export function addressKey(ip: string): string {
  if (!isIPv6(ip)) return ip;
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
 * @throws ServiceError `header_conflict`, `token_refused` for a token in a form that is not read
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
  if (token === undefined) requireReadable(headers.authorization);
  return token;
}

/** The token of a request; undefined also for headers that contradict each other, which the handler refuses. */
export function readableToken(headers: IncomingHttpHeaders): string | undefined {
  try {
    return presentedToken(headers);
  } catch {
    return undefined;
  }
}

/** Blanks are counted by hand: an expression would try again at each of them. */
function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined || !/^bearer /i.test(header)) return undefined;
  return header.slice('bearer '.length).trim() || undefined;
}

/** Refuses a header that would be ignored, but for the schemes of proxies, which pass on what they have accepted. */
function requireReadable(authorization = ''): void {
  const [scheme = ''] = authorization.trim().split(' ');
  if (/^(|bearer|basic|digest|negotiate|ntlm)$/i.test(scheme)) return;
  throw new ServiceError(
    'token_refused',
    "The header Authorization has no token that is read here. Send 'X-Service-Token: TOKEN' or 'Authorization: Bearer TOKEN'.",
  );
}
