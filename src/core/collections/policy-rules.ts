/** Policies in force in a collection: the annotation that names those of a record, the default, and who has which. */
import type { Grant } from '../access/grant.ts';
import type { CollectionConfig, PolicyInformation } from '../config/config.ts';
import { namelessForges } from '../config/policies.ts';
import { MEMORY } from '../memory-bounds.ts';
import type { Schema } from '../schema/schema.ts';
import { type PolicyTag, policyTag, Visibility } from '../storage/visibility.ts';

/** Who asks. */
export type Caller = Pick<Grant, 'source' | 'userId' | 'isReader'>;

/** All whose own tokens permit reading curated records: an entry of `policy_mapping` with both names gives them policies. */
const READERS = '*';

/** A caller whom no mapping names, and whose own token does not permit reading. */
export const UNNAMED: Caller = { source: '', userId: '' };

const NO_POLICIES: ReadonlySet<string> = new Set();
/** Sets of policies that are remembered. */
const MOST_VISIBILITIES = MEMORY.visibilities.count;

/** The source of a forge without `instance_id`, as the peer names it. */
const NAMELESS_FORGE = 'forgejo_None';

type CallerPolicies = Caller & { readonly policies: Set<string> };

export class PolicyRules {
  /** Undefined if no record names a policy. */
  readonly tag: PolicyTag | undefined;
  /** The ways to write the tag, the configured one first. */
  readonly spellings: readonly string[];
  readonly defaultPolicy: string | null;
  readonly #mapping = new Map<string, CallerPolicies>();
  readonly #visibilities = new Map<string, Visibility>();
  /** The policies of all readers. */
  readonly #ofReaders = new Set<string>();
  /** With two forges that have no `instance_id`, the name that they share means neither. */
  readonly #isNamelessShared: boolean;

  constructor(schema: Schema, config: CollectionConfig, information: PolicyInformation) {
    const { policy_annotation_tag: tag, default_policy: defaultPolicy, policy_mapping = [] } = information;
    this.spellings = tag === undefined ? [] : spellingsOf(schema, tag);
    this.tag = tag === undefined ? undefined : policyTag(this.spellings);
    this.defaultPolicy = defaultPolicy ?? null;
    this.#isNamelessShared = namelessForges(config).length > 1;
    for (const { auth_source: source, user_id: userId, authorized_by } of policy_mapping) {
      if (source === READERS && userId === READERS) {
        for (const policy of authorized_by) this.#ofReaders.add(policy);
        continue;
      }
      const key = callerKey(source, userId);
      const granted = this.#mapping.get(key) ?? { source, userId, policies: new Set() };
      for (const policy of authorized_by) granted.policies.add(policy);
      this.#mapping.set(key, granted);
    }
  }

  /** The callers that the mapping names, each once. */
  callers(): Iterable<Caller> {
    return this.#mapping.values();
  }

  /** All readers as one caller, if an entry gives them policies. */
  readers(): readonly Caller[] {
    return this.#ofReaders.size > 0 ? [{ source: READERS, userId: READERS, isReader: true }] : [];
  }

  of(caller: Caller): string[] {
    return [...this.#granted(caller)].sort();
  }

  /** The visibility of a caller. Callers with the same policies get the same object. */
  visibilityOf(caller: Caller): Visibility {
    const granted = this.of(caller);
    const key = JSON.stringify(granted);
    const known = this.#visibilities.get(key) ?? new Visibility(this.tag, this.defaultPolicy, granted);
    if (this.#visibilities.size >= MOST_VISIBILITIES) this.#visibilities.clear();
    this.#visibilities.set(key, known);
    return known;
  }

  #granted({ source, userId, isReader }: Caller): ReadonlySet<string> {
    const all = isReader ? this.#ofReaders : NO_POLICIES;
    if (source === NAMELESS_FORGE && this.#isNamelessShared) return all;
    return this.#mapping.get(callerKey(source, userId))?.policies.union(all) ?? all;
  }
}

/** Undefined if every caller sees every record: no record can have a policy. */
export function rulesOf(
  schema: Schema,
  config: CollectionConfig,
  information: PolicyInformation,
): PolicyRules | undefined {
  const { policy_annotation_tag: tag, default_policy: defaultPolicy } = information;
  if (tag === undefined && defaultPolicy === undefined) return undefined;
  return new PolicyRules(schema, config, information);
}

const callerKey = (source: string, userId: string) => JSON.stringify([source, userId]);

/** The ways to write a tag in a record: as it is, as IRI, and with each prefix of the schema that begins the IRI; each once. */
function spellingsOf(schema: Schema, tag: string): string[] {
  const iri = schema.expand(tag) ?? tag;
  const curies = [...schema.prefixes]
    .filter(([, start]) => start !== '' && iri.startsWith(start))
    .map(([prefix, start]) => `${prefix}:${iri.slice(start.length)}`);
  return [...new Set([tag, iri, ...curies])];
}
