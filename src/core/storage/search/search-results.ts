/**
 * The results of `matching` patterns that are kept for their next pages, as ids in typed arrays, and the turns of the searches
 * that read many records: one for a client at a time.
 */
import { LRUCache } from 'lru-cache';
import { MEMORY } from '../../memory-bounds.ts';
import { Admission } from '../../work/admission.ts';

/** Records in order, and the policies that each names: an index of `policies`. */
export type FoundIds = {
  readonly ids: Float64Array;
  readonly policies: readonly string[];
  /** Undefined if all have the same policies. */
  readonly policyOf: Uint32Array | undefined;
};

/** Long searches that run at the same time: an eighth of them, which is one, for a client. */
const LONG_SEARCHES = 8;
/** The overhead of an entry besides its key and arrays, in bytes, about. */
const OVERHEAD = 500;

type CachedResult = { readonly revision: number; readonly found: FoundIds };

export class SearchResults {
  readonly #kept: LRUCache<string, CachedResult>;
  /** Searches in progress, by key and revision. Their requests share the result. */
  readonly #pending = new Map<string, Promise<FoundIds>>();
  readonly #admission = new Admission(LONG_SEARCHES);

  /** @param limit in bytes; a result that needs more is not kept */
  constructor(limit: number = MEMORY.matchingResults.bytes) {
    this.#kept = new LRUCache({ maxSize: limit, sizeCalculation: bytesOf });
  }

  /** In bytes. */
  get used(): number {
    return this.#kept.calculatedSize;
  }

  /**
   * Returns the result of a search in an area as of a revision.
   *
   * @param isShared whether it is also that of other requests: not if it may end because of what one wants
   */
  find(key: string, revision: number, search: () => Promise<FoundIds>, isShared = true): Promise<FoundIds> {
    const known = this.#kept.get(key);
    if (known?.revision === revision) return Promise.resolve(known.found);
    const name = `${revision} ${key}`;
    const pending = this.#pending.get(name);
    if (pending) return pending;
    const found = search().then((result) => {
      this.#kept.set(key, { revision, found: result });
      return result;
    });
    if (!isShared) return found;
    const shared = found.finally(() => this.#pending.delete(name));
    this.#pending.set(name, shared);
    return shared;
  }

  /** Runs a long search when its client has no other one. @throws ServiceError `busy` if that takes too long */
  async inTurn<T>(search: () => Promise<T>): Promise<T> {
    const leave = await this.#admission.turn();
    try {
      return await search();
    } finally {
      leave();
    }
  }
}

function bytesOf({ found: { ids, policies, policyOf } }: CachedResult, key: string): number {
  const names = policies.reduce((sum, name) => sum + 2 * name.length, 0);
  return OVERHEAD + 2 * key.length + ids.byteLength + (policyOf?.byteLength ?? 0) + names;
}

/** Collects records in order. */
export class IdList {
  #length = 0;
  #ids = new Float64Array(64);
  #policyOf: Uint32Array | undefined;
  readonly #policies = new Map<string, number>();

  add(id: number, policy: string): void {
    const at = this.#length++;
    if (at === this.#ids.length) this.#grow();
    this.#ids[at] = id;
    let index = this.#policies.get(policy);
    if (index === undefined) {
      index = this.#policies.size;
      this.#policies.set(policy, index);
      // Those so far have the first one.
      if (index === 1) this.#policyOf = new Uint32Array(this.#ids.length);
    }
    if (this.#policyOf) this.#policyOf[at] = index;
  }

  found(): FoundIds {
    return {
      ids: this.#ids.slice(0, this.#length),
      policies: [...this.#policies.keys()],
      policyOf: this.#policyOf?.slice(0, this.#length),
    };
  }

  #grow(): void {
    const ids = new Float64Array(this.#ids.length * 2);
    ids.set(this.#ids);
    this.#ids = ids;
    if (!this.#policyOf) return;
    const policyOf = new Uint32Array(ids.length);
    policyOf.set(this.#policyOf);
    this.#policyOf = policyOf;
  }
}

/** Selects the records whose policies satisfy a condition. */
export function foundWith(found: FoundIds, isSeen: (policy: string) => boolean): FoundIds {
  const { ids, policies, policyOf } = found;
  const seen = policies.map(isSeen);
  if (seen.every((one) => one)) return found;
  if (!policyOf) return NOTHING;
  // A loop over a million numbers takes two milliseconds.
  return { ids: ids.filter((_, at) => seen[policyOf[at]!]), policies: [], policyOf: undefined };
}

export const NOTHING: FoundIds = { ids: new Float64Array(), policies: [], policyOf: undefined };
