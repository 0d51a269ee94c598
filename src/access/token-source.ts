/**
 * The contract of a source that knows tokens: the configuration, a forge.
 *
 * A source never throws for a token that it does not accept: it returns the reason, which the client receives in a
 * 401 beside those of the other sources. A reason never repeats the token.
 */
import type { Grant } from './grant.ts';

export interface TokenSource {
  /** The name in reasons: `config`, or `forge <url>`. */
  readonly name: string;
  /** The grant of a token in this source's collection, or why there is none. */
  authenticate(token: string): Promise<Authentication>;
  close(): Promise<void>;
}

export type Authentication = { readonly grant: Grant } | { readonly reason: string };
