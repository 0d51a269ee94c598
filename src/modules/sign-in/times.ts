/** The durations of signing in, in milliseconds. */
import { DAY, MINUTE } from '../../core/durations.ts';

export const TIMES = {
  /** From the redirect to the issuer until the person is back. */
  flow: 10 * MINUTE,
  /** From the return of the person until the desk has taken the token of the session. */
  handOver: MINUTE,
  /** A session that is not used ends after this. */
  session: DAY / 2,
  /** A session ends after this, however much it is used. */
  sessionAtMost: 7 * DAY,
  /** After this, the issuer is asked again who a person is, and requests do not wait for the answer. */
  asked: 4 * MINUTE,
  /** After this, they wait for it. */
  askedAtMost: 5 * MINUTE,
  /** Personal tokens need that the person has signed in within this time. */
  signedIn: 30 * DAY,
  /** The longest life of a personal token. */
  personalToken: 366 * DAY,
  /** A personal token that has ended is kept: by a clock that is ahead, all of them have. */
  endedToken: 366 * DAY,
  /** What is known of people who do not come back is removed after this. */
  person: 366 * DAY,
  /** Between two writes of the last uses of sessions and personal tokens. */
  uses: MINUTE,
  /** A request to an issuer. */
  issuer: 10_000,
  /** Between two reads of the keys of an issuer, whatever keys tokens name. */
  keys: 1000,
  /** That an issuer could not be read, before it is tried again. */
  failure: 5000,
  /** What is known of an issuer, before it is read again. */
  discovery: 60 * MINUTE,
} as const;

/** By how many seconds the clocks of an issuer and of the service may differ. */
export const CLOCK_TOLERANCE = 60;
