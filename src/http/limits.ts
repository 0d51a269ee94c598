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

  /** The hook for every request. Requests about the service itself are few and cheap: only their tokens are limited. */
  readonly hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    // Not known any more when the client has gone.
    const address = addressOf(request);
    const refusal = this.#refusalOf(request, reply, address);
    if (refusal) return void done(refusal);
    const end = isMonitoring(request) ? void done() : this.#admission.enter(done);
    reply.raw.once('close', () => {
      end?.();
      if (reply.raw.statusCode === 401 && address !== undefined && tokenOf(request) !== undefined)
        this.#refused?.take(address);
    });
  };

  /** To be called for each token that was accepted. */
  accepted(request: FastifyRequest, token: string | undefined): void {
    if (token === undefined || !this.#refused?.isUsed) return;
    const address = addressOf(request);
    if (address !== undefined && this.#refused.has(address)) this.#accepted.set(pairOf(address, token), true);
  }

  #refusalOf(
    request: FastifyRequest,
    reply: FastifyReply,
    address: string | undefined,
  ): ServiceError | undefined {
    const wait = address === undefined ? 0 : (this.#refused?.wait(address) ?? 0);
    if (wait > 0 && this.#isUntried(request, address as string))
      return refuse(reply, wait, 'Too many tokens from this address were refused');
    if (isMonitoring(request)) return;
    const addressWait = address === undefined ? 0 : (this.#ofAddress?.take(address) ?? 0);
    if (addressWait > 0) return refuse(reply, addressWait, 'Too many requests from this address');
    const token = this.#ofToken && tokenOf(request);
    const tokenWait = token === undefined ? 0 : (this.#ofToken?.take(hash('sha256', token, 'base64')) ?? 0);
    return tokenWait > 0 ? refuse(reply, tokenWait, 'Too many requests with this token') : undefined;
  }

  /** Whether a request has a token that was not accepted before. */
  #isUntried(request: FastifyRequest, address: string): boolean {
    const token = tokenOf(request);
    return token !== undefined && !this.#accepted.has(pairOf(address, token));
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

/**
 * The address of a client as limits count it; undefined for programs on this machine, and for clients of a proxy that
 * does not report their addresses.
 */
function addressOf({ ip }: { readonly ip: string | undefined }): string | undefined {
  return ip === undefined || isLoopback(ip) ? undefined : addressKey(ip);
}

function pairOf(address: string, token: string): string {
  return hash('sha256', `${address}\n${token}`, 'base64');
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
