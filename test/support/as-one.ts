/**
 * What is sent to two instances with one database, and to one process with SQLite, which have to answer alike. Modules have theirs in
 * `as-one.expected.ts`. The collection is `lab`, with the zones of `ann` and `bea`, and `cora` is its curator.
 */
import type { TestAnswer, TestService } from './app.ts';

export const NAMES = ['ada', 'bob', 'cyd', 'dan', 'eve'];
export const ZONES = ['ann', 'bea'];

export type Read = { readonly url: string; readonly token: string };
export type Request = Read & { readonly method: string; readonly json?: unknown };

export type Chance = {
  /** A number below a limit. */
  below(limit: number): number;
  one<T>(all: readonly T[]): T;
};

/** Makes a request of random content. */
export type Write = (chance: Chance) => Request;

/** What several requests do that depend on each other. */
export type Step = (
  chance: Chance,
  sent: {
    /** Sends the same to the instance and to the other process, and compares the answers. */
    both(request: Request): Promise<TestAnswer>;
    /** Requires the same answers to requests of each that name what they have for themselves, such as ids. */
    alike(ask: (service: TestService) => Promise<TestAnswer | undefined>): Promise<string>;
  },
) => Promise<string>;

export type AsOne = {
  readonly reads: readonly Read[];
  readonly writes?: readonly Write[];
  readonly steps?: readonly Step[];
};

export const pidOf = ({ one }: Chance) => `labid:${one(NAMES)}`;
