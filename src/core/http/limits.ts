/**
 * Which requests are let in, by their number: all at once, those of a token, and tokens of an address
 * that were refused. `docs/limits.md` lists all limits.
 */
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { KEEP, MINUTE } from '../durations.ts';
import { ServiceError } from '../errors.ts';
import { MEMORY } from '../memory-bounds.ts';
import { Admission } from '../work/admission.ts';
import { readableToken } from './client.ts';
import { Shares } from './shares.ts';

export type LimitOptions = {
  /** Requests that are answered at the same time. */
  readonly requests: number;
  /** Open connections. */
  readonly connections: number;
  /** Requests that wait for changes: event streams and long polls. */
  readonly waiting: number;
  /** Requests in a minute with the same token; undefined for any number. */
  readonly requestsOfToken?: number;
  /** Refused tokens in a minute from the same address; undefined for any number. */
  readonly refusedTokens?: number;
  /** MiB of a body. */
  readonly bodyMebibytes: number;
  /** Seconds for the headers of a request. */
  readonly headerSeconds: number;
  /** Seconds for a request with its body; slow bodies end earlier, see `bodies.ts`. */
  readonly requestSeconds: number;
  /** Seconds after which a response ends of which the client reads nothing. */
  readonly unreadSeconds: number;
};

export const DEFAULT_LIMITS: LimitOptions = {
  requests: 256,
  connections: 10_000,
  waiting: 4_000,
  refusedTokens: 100,
  bodyMebibytes: 10,
  headerSeconds: 20,
  requestSeconds: 300,
  unreadSeconds: 30,
};

/** The memory of an entry by address or token, about: keys are hashes or addresses. */
const ENTRY_BYTES = 400;

export class Limits {
  /** The places of requests that are answered at the same time. */
  readonly admission: Admission;
  /** Requests whose responses have not ended, by the addresses of their clients: behind a proxy, each holds a connection. */
  readonly unanswered: Shares;
  /** Requests that wait for something that is not the service, by client. */
  readonly waiting: Shares;
  readonly #ofToken: Allowance | undefined;
  readonly #refused: Allowance | undefined;
  /** Hashes of address and token: these are let in, whatever others at their address try. */
  readonly #accepted = new LRUCache<string, true>({
    maxSize: MEMORY.acceptedTokens.bytes,
    sizeCalculation: () => ENTRY_BYTES,
    ttl: KEEP.acceptedClient,
  });

  constructor(options: LimitOptions) {
    const allowance = (perMinute: number | undefined) =>
      perMinute === undefined ? undefined : new Allowance(perMinute);
    this.admission = new Admission(options.requests);
    this.unanswered = new Shares(options.connections);
    this.waiting = new Shares(options.waiting);
    this.#ofToken = allowance(options.requestsOfToken);
    this.#refused = allowance(options.refusedTokens);
  }

  /**
   * Why a request is not let in, if it is not.
   *
   * @param address undefined for clients without limits by address
   * @param isMonitoring whether it is about the service itself: such requests are few and cheap, only their tokens are
   *   limited
   */
  refusalOf(
    address: string | undefined,
    headers: IncomingHttpHeaders,
    isMonitoring: boolean,
  ): Refusal | undefined {
    const wait = address === undefined ? 0 : (this.#refused?.wait(address) ?? 0);
    if (wait > 0 && this.#isUntried(address as string, headers))
      return limitRefusal('Too many tokens from this address were refused', wait);
    if (isMonitoring) return;
    const token = this.#ofToken && readableToken(headers);
    const tokenWait = token === undefined ? 0 : (this.#ofToken?.take(hash('sha256', token, 'base64')) ?? 0);
    return tokenWait > 0 ? limitRefusal('Too many requests with this token', tokenWait) : undefined;
  }

  /** To be called for each request that was answered with 401; a request without a token does not count. */
  refused(address: string | undefined, headers: IncomingHttpHeaders): void {
    if (address !== undefined && readableToken(headers) !== undefined) this.#refused?.take(address);
  }

  /** To be called for each token that was accepted. */
  accepted(address: string | undefined, token: string): void {
    if (address !== undefined && this.#refused) this.#accepted.set(pairOf(address, token), true);
  }

  /** Whether a request has a token that was not accepted before. */
  #isUntried(address: string, headers: IncomingHttpHeaders): boolean {
    const token = readableToken(headers);
    return token !== undefined && !this.#accepted.has(pairOf(address, token));
  }
}

function pairOf(address: string, token: string): string {
  return hash('sha256', `${address}\n${token}`, 'base64');
}

/** An error, and the seconds after which the client may try again. */
type Refusal = { readonly error: ServiceError; readonly seconds: number };

/** The refusal of a client that has used up its allowance. */
function limitRefusal(what: string, seconds: number): Refusal {
  const unit = seconds === 1 ? 'second' : 'seconds';
  return {
    error: new ServiceError('too_many_requests', `${what}: try again in ${seconds} ${unit}.`),
    seconds,
  };
}

type Bucket = { left: number; filled: number };

/** Counts work by key, and allows so much in a minute. Unused parts of a minute do not add up beyond it. */
export class Allowance {
  readonly #perMinute: number;
  readonly #now: () => number;
  /** The least recently used key starts over. */
  readonly #buckets = new LRUCache<string, Bucket>({
    maxSize: MEMORY.allowances.bytes,
    sizeCalculation: () => ENTRY_BYTES,
  });

  /** @param now milliseconds on a clock that is never set back */
  constructor(perMinute: number, now: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** Uses one, if there is one. @returns the seconds until there is one again; 0 if there was one */
  take(key: string): number {
    const bucket = this.#bucket(key);
    if (bucket.left < 1) return this.#seconds(bucket);
    bucket.left -= 1;
    return 0;
  }

  /** Like {@link take}, and uses nothing. A key that was never used costs nothing. */
  wait(key: string): number {
    if (!this.#buckets.has(key)) return 0;
    const bucket = this.#bucket(key);
    return bucket.left < 1 ? this.#seconds(bucket) : 0;
  }

  #bucket(key: string): Bucket {
    const now = this.#now();
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      bucket = { left: this.#perMinute, filled: now };
      this.#buckets.set(key, bucket);
    }
    const gained = ((now - bucket.filled) / MINUTE) * this.#perMinute;
    bucket.left = Math.min(this.#perMinute, bucket.left + gained);
    bucket.filled = now;
    return bucket;
  }

  #seconds({ left }: Bucket): number {
    return Math.max(1, Math.ceil(((1 - left) / this.#perMinute) * 60));
  }
}
