/**
 * Which requests are let in, by their number: all at once, those of a token, those of an address, and tokens of an
 * address that were refused. `docs/limits.md` lists all limits.
 */
import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors.ts';
import { addressKey, isLoopback } from './address.ts';
import { Admission } from './admission.ts';
import { Allowance } from './allowance.ts';
import { presentedToken } from './enter.ts';

export type LimitOptions = {
  /** Requests that are answered at the same time. */
  readonly requests: number;
  /** Requests in a minute with the same token; undefined for any number. */
  readonly requestsOfToken?: number;
  /** Requests in a minute from the same address; undefined for any number. */
  readonly requestsOfAddress?: number;
  /** Refused tokens in a minute from the same address; undefined for any number. */
  readonly refusedTokens?: number;
};

export const DEFAULT_LIMITS: LimitOptions = { requests: 256, refusedTokens: 100 };

/** Accepted tokens that are remembered, of addresses with refused ones. */
const MOST_ACCEPTED = 10_000;

/** The limits of one service. */
export class Limits {
  readonly #admission: Admission;
  readonly #ofToken: Allowance | undefined;
  readonly #ofAddress: Allowance | undefined;
  readonly #refused: Allowance | undefined;
  /** Hashes of address and token. They are let in whatever others at the address try. */
  readonly #accepted = new LRUCache<string, true>({ max: MOST_ACCEPTED });

  constructor(options: LimitOptions) {
    const allowance = (perMinute: number | undefined) =>
      perMinute === undefined ? undefined : new Allowance(perMinute);
    this.#admission = new Admission(options.requests);
    this.#ofToken = allowance(options.requestsOfToken);
    this.#ofAddress = allowance(options.requestsOfAddress);
    this.#refused = allowance(options.refusedTokens);
  }

  /** Requests that are answered or wait for their turn. */
  get inProgress(): number {
    return this.#admission.inProgress;
  }

  /** The hook for every request. Requests about the service itself are always let in: they are few and cheap. */
  readonly hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    const limited = !isMonitoring(request);
    const refusal = limited ? this.#refusalOf(request, reply) : undefined;
    if (refusal || !limited) done(refusal);
    else reply.raw.once('close', this.#admission.enter(done));
  };

  /** To be called for each token that was accepted. */
  accepted({ ip }: FastifyRequest, token: string | undefined): void {
    if (token === undefined || isLoopback(ip) || !this.#refused?.has(addressKey(ip))) return;
    this.#accepted.set(pairOf(ip, token), true);
  }

  /** To be called for each token that was refused. */
  refused({ ip }: FastifyRequest): void {
    if (!isLoopback(ip)) this.#refused?.take(addressKey(ip));
  }

  #refusalOf(request: FastifyRequest, reply: FastifyReply): ServiceError | undefined {
    const { ip } = request;
    // Programs on this machine, and clients of a proxy that does not report their addresses, are not told apart.
    if (!isLoopback(ip)) {
      const wait = this.#ofAddress?.take(addressKey(ip)) ?? 0;
      if (wait > 0) return refuse(reply, wait, 'Too many requests from this address');
      const afterRefused = this.#refused?.wait(addressKey(ip)) ?? 0;
      if (afterRefused > 0) {
        const token = tokenOf(request);
        if (token !== undefined && !this.#accepted.has(pairOf(ip, token)))
          return refuse(reply, afterRefused, 'Too many tokens from this address were refused');
      }
    }
    if (!this.#ofToken) return;
    const token = tokenOf(request);
    const wait = token === undefined ? 0 : this.#ofToken.take(hash('sha256', token, 'base64'));
    return wait > 0 ? refuse(reply, wait, 'Too many requests with this token') : undefined;
  }
}

/** Routes about the service itself. */
const MONITORING: ReadonlySet<string> = new Set(['/-/health', '/-/ready', '/-/metrics', '/-/status']);

/** Undefined also for headers that contradict each other: the handler refuses these. */
function tokenOf({ headers }: FastifyRequest): string | undefined {
  try {
    return presentedToken(headers);
  } catch {
    return undefined;
  }
}

function isMonitoring({ routeOptions }: FastifyRequest): boolean {
  return MONITORING.has(routeOptions.url ?? '');
}

function pairOf(ip: string, token: string): string {
  return hash('sha256', `${addressKey(ip)}\n${token}`, 'base64');
}

function refuse(reply: FastifyReply, seconds: number, what: string): ServiceError {
  reply.header('retry-after', String(seconds));
  return tooManyRequests(what, seconds);
}

/** The refusal of a client that has used up its allowance. */
export function tooManyRequests(what: string, seconds: number): ServiceError {
  const unit = seconds === 1 ? 'second' : 'seconds';
  return new ServiceError('too_many_requests', `${what}: try again in ${seconds} ${unit}.`);
}
