/**
 * The bounds of what the process keeps in memory between and for requests: one table, which `docs/limits.md` lists and a test adds
 * up. Every room may import this file. Modules declare theirs as `memory`.
 */

const KIB = 1024;
const MIB = 1024 * KIB;

/** `bytes` of one, `count` of them for each process, collection, forge or thread. Sizes of objects are estimates. */
export type MemoryBound = {
  readonly what: string;
  readonly bytes: number;
  readonly count: number;
  readonly of: 'process' | 'collection' | 'forge' | 'thread';
};
/** By the names that sources use them by. */
export type MemoryBounds = Readonly<Record<string, MemoryBound>>;

export const MEMORY = {
  pages: { what: 'bodies of pages and searches (`--memory`)', bytes: 32 * MIB, count: 1, of: 'process' },
  matchingResults: { what: 'results of `matching`, as ids', bytes: 32 * MIB, count: 1, of: 'process' },
  patterns: { what: 'compiled `matching` patterns', bytes: MIB, count: 1, of: 'process' },
  trigrams: { what: 'how many records have a trigram', bytes: 4 * MIB, count: 1, of: 'process' },
  overlays: { what: 'positions in zones over curated records', bytes: 32 * MIB, count: 1, of: 'process' },
  formerStates: {
    what: 'records that differ from a former state',
    bytes: 100 * MIB,
    count: 1,
    of: 'process',
  },
  allowances: {
    what: 'requests of a token, refusals of an address',
    bytes: 4 * MIB,
    count: 2,
    of: 'process',
  },
  acceptedTokens: { what: 'tokens that were accepted lately', bytes: 4 * MIB, count: 1, of: 'process' },
  bodies: { what: 'bodies of requests in progress', bytes: 128 * MIB, count: 1, of: 'process' },
  responses: {
    what: 'responses that their clients have not read',
    bytes: 256 * MIB,
    count: 1,
    of: 'process',
  },
  descriptions: { what: 'descriptions of the API', bytes: 64 * MIB, count: 1, of: 'process' },
  zones: { what: 'zones that were opened', bytes: MIB, count: 1, of: 'collection' },
  visibilities: {
    what: 'policies that a set of callers may see',
    bytes: 128 * KIB,
    count: 128,
    of: 'collection',
  },
  forgeAnswers: { what: 'answers about tokens', bytes: 32 * MIB, count: 1, of: 'forge' },
  threadSchemas: { what: 'open schemas', bytes: 64 * MIB, count: 1, of: 'thread' },
} as const satisfies MemoryBounds;
