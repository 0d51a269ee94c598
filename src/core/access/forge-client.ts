/**
 * Asks a Forgejo or Gitea instance on behalf of a token.
 *
 * One client serves every source of the same address, so that a forge that several collections use is asked once. It
 * remembers answers, for a token each: good ones for as long as the caller says (one to five minutes), failures for
 * {@link FAILURE_SECONDS}. Concurrent requests for the same answer share one call. The memory is bounded, and keyed by
 * the hash of the token.
 */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { MEMORY } from '../memory-bounds.ts';
import { FAILURE_SECONDS, ForgeFailure, type GetJson, getJson, getList, shaped } from './forge-http.ts';

/** Estimates for what is remembered. */
const BYTES = { answer: 500, entryOfList: 200, failure: 2000 };
/** Calls to a forge that run at the same time; further ones wait their turn. */
const MAX_CALLS = 16;
/** How many may wait; beyond that the forge is too slow to be useful, and further callers are refused at once. */
const MAX_WAITING = 1000;

/** For tests: how long answers are remembered, and how long a call may take. */
type ForgeOptions = {
  /** The time in milliseconds. */
  readonly clock?: { now(): number };
  /** Seconds that one call may take, from its start to the end of its answer. */
  readonly timeout?: number;
};

const TIMEOUT_SECONDS = 10;

/** Asks one forge; there is one for each address, see {@link Forges}. */
export class ForgeClient {
  /** The address of the API, without a trailing slash. */
  readonly url: string;
  readonly #answers: LRUCache<string, Promise<unknown>>;
  readonly #waiting: (() => void)[] = [];
  readonly #timeout: number;
  #running = 0;

  constructor(url: string, { clock = performance, timeout = TIMEOUT_SECONDS }: ForgeOptions = {}) {
    this.url = url;
    this.#timeout = timeout;
    this.#answers = new LRUCache({ maxSize: MEMORY.forgeAnswers.bytes, perf: clock, ttlResolution: 0 });
  }

  /**
   * The JSON answer of a call, shaped by `read`.
   *
   * @param path below the address of the API
   * @throws ForgeFailure
   */
  one<T>(token: string, path: string, seconds: number, read: (answer: unknown) => T): Promise<T> {
    return this.#remember(token, path, seconds, async () => {
      const { body } = await this.#call(token, path);
      return shaped(path, () => read(body));
    });
  }

  /**
   * The entries of a list, over all its pages.
   *
   * @throws ForgeFailure
   */
  all<T>(token: string, path: string, seconds: number, read: (entry: unknown) => T): Promise<T[]> {
    return this.#remember(token, path, seconds, () => getList((page) => this.#call(token, page), path, read));
  }

  #remember<T>(token: string, path: string, seconds: number, ask: () => Promise<T>): Promise<T> {
    const key = hash('sha256', `${path}\n${token}`, 'base64');
    const known = this.#answers.get(key);
    if (known) return known as Promise<T>;
    const answer = ask();
    // A call in progress does not expire; its time to live begins with the answer.
    this.#answers.set(key, answer, { size: BYTES.answer });
    const keep = (ttl: number, size: number) => {
      if (this.#answers.peek(key) !== answer) return;
      // The size of a value that is already there is not set again.
      this.#answers.delete(key);
      this.#answers.set(key, answer, { ttl: ttl * 1000, size });
    };
    answer.then(
      (value) => keep(seconds, BYTES.answer + (Array.isArray(value) ? value.length * BYTES.entryOfList : 0)),
      (failure) => keep(failure instanceof ForgeFailure ? failure.seconds : FAILURE_SECONDS, BYTES.failure),
    );
    return answer;
  }

  async #call(token: string, path: string): ReturnType<GetJson> {
    if (this.#running < MAX_CALLS) this.#running++;
    else if (this.#waiting.length < MAX_WAITING) await new Promise<void>((turn) => this.#waiting.push(turn));
    else throw new ForgeFailure('too many requests wait for its answers');
    try {
      // Organizations that are renamed are the same ones.
      const asking = { token, scheme: 'token', timeout: this.#timeout, redirects: true } as const;
      return await getJson(this.url, path, asking);
    } finally {
      const next = this.#waiting.shift();
      // The place is handed on, or given back.
      if (next) next();
      else this.#running--;
    }
  }
}

/** The clients of a service, one for each address. */
export class Forges {
  readonly #clients = new Map<string, ForgeClient>();
  readonly #options: ForgeOptions;

  constructor(options: ForgeOptions = {}) {
    this.#options = options;
  }

  at(url: string): ForgeClient {
    const address = withoutTrailingSlash(url);
    const client = this.#clients.get(address) ?? new ForgeClient(address, this.#options);
    this.#clients.set(address, client);
    return client;
  }
}

/** One slash, as the peer does: labels hold the hash of what remains. */
function withoutTrailingSlash(url: string): string {
  return url.endsWith('/') ? url.slice(0, -1) : url;
}
