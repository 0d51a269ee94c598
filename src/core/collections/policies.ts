/**
 * The policies of a collection: which ones a caller has, and so which records the caller sees. They are those of the configuration
 * or, if it names a location, what was read there last; that is kept in the database and stays in force until a reload succeeds.
 */
import type { CollectionConfig, PolicyInformation } from '../config/config.ts';
import { hasPolicies, parsePolicyInformation, policyWarnings, writtenPolicies } from '../config/policies.ts';
import type { OnFailure } from '../config/state.ts';
import { TIMEOUT } from '../durations.ts';
import { ServiceError } from '../errors.ts';
import { type InTurn, inTurn } from '../in-turn.ts';
import { download, readLocal } from '../schema/download.ts';
import { urlOf } from '../schema/remote.ts';
import type { Schema } from '../schema/schema.ts';
import type { Database } from '../storage/database.ts';
import type { StoreLog } from '../storage/log.ts';
import { backgroundWork } from '../storage/open-database.ts';
import { addPolicyTag, hasPolicyTag, indexPolicies, preparePolicyTag } from '../storage/policy-column.ts';
import type { AreaId, ReadStore, RecordStore } from '../storage/store.ts';
import type { PolicyTag, Visibility } from '../storage/visibility.ts';
import { type Caller, type PolicyRules, rulesOf } from './policy-rules.ts';

type PolicyParts = {
  readonly name: string;
  readonly config: CollectionConfig;
  readonly schema: Schema;
  readonly database: Database;
  /** The areas of the collection that have records. */
  readonly areas: () => Promise<readonly AreaId[]>;
  readonly log: StoreLog;
  /** Reads the text at an address. @throws ServiceError `policy_info_unreadable` */
  readonly readText: (address: string) => Promise<string>;
};

/** What is kept in the database; the time, ISO 8601, is for people. */
type StoredInformation = {
  readonly json: string;
  readonly information: PolicyInformation;
  readonly time: string;
};

export class Policies {
  readonly #parts: PolicyParts;
  /** `none` if every caller sees every record, `unknown` if the information was never read. */
  #inForce: PolicyRules | 'none' | 'unknown' = 'unknown';
  /** What the database had when it was followed last, or when this instance read the location. */
  #followed: StoredInformation | undefined;
  #closed = false;
  /** A reload may have to read all records: what was read earlier is never in force after what was read later. */
  readonly #inTurn: InTurn = inTurn();
  /** Since when the location cannot be read, as ISO 8601. */
  #staleSince: string | undefined;
  /** The areas whose records have the tag in their column, and those that are brought there. */
  readonly #settled = new Map<number, Promise<void> | true>();

  private constructor(parts: PolicyParts) {
    this.#parts = parts;
  }

  /**
   * Undefined if the configuration has none.
   *
   * @param onFailure whether information that cannot be read is refused, or the last one that could stays in force
   * @throws ServiceError `policy_info_unreadable`
   */
  static async open(parts: PolicyParts, onFailure: OnFailure['policies']): Promise<Policies | undefined> {
    const { config, log, name } = parts;
    if (!hasPolicies(config)) return undefined;
    const policies = new Policies(parts);
    for (const warning of policyWarnings(config)) log.warn({ collection: name }, warning);
    const written = writtenPolicies(config);
    if (written) policies.#use(written);
    else if (onFailure === 'refuse') await policies.reload();
    else
      await policies.reload().catch(async (error: unknown) => {
        log.warn({ err: error, collection: name }, 'could not read the policy information');
        const kept = await policies.#kept();
        if (kept) policies.#use(kept.information);
        policies.#staleSince = kept?.time ?? '';
        policies.#followed = kept;
      });
    return policies;
  }

  /** Explains a problem for the health of the service. */
  problem(): string | undefined {
    if (this.#staleSince === undefined) return undefined;
    if (this.#inForce === 'unknown') return 'the policy information was never read: users get 503';
    return `the policy information cannot be read; that of ${this.#staleSince} is in force`;
  }

  /**
   * Reads the location again. What was in force stays in force until the records are read for another tag, and after a failure.
   *
   * @throws ServiceError `policy_info_missing`, `policy_info_unreadable`, `stopping`
   */
  reload(): Promise<void> {
    return this.#inTurn(() => this.#reload());
  }

  async #reload(): Promise<void> {
    const { name, config, readText, database } = this.#parts;
    const address = config.policy_info_location;
    if (address === undefined) throw noLocation(name);
    const read = async () => parsePolicyInformation(await readText(address));
    let information = await read();
    // Reading the records may take minutes, in which another instance may have put something newer in force.
    if (await this.#prepare(information)) {
      information = await read();
      await this.#prepare(information);
    }
    const time = new Date().toISOString();
    const json = JSON.stringify(information);
    if (!database.readOnly)
      await database.transact(async (draft) => {
        draft.run(KEEP, [name, address, json, time]);
      });
    this.#followed = database.readOnly ? await this.#kept() : { json, information, time };
    this.#use(information);
    this.#staleSince = undefined;
  }

  /** Applies what another instance has read since. */
  async follow(): Promise<void> {
    const kept = await this.#kept();
    // The order of commits decides, not the clocks of two machines: what is stored is in force if it is another one.
    const isSame = kept?.json === this.#followed?.json && kept?.time === this.#followed?.time;
    if (!kept || isSame) return;
    this.#followed = kept;
    this.#use(kept.information);
    this.#staleSince = undefined;
  }

  async #kept(): Promise<StoredInformation | undefined> {
    const { name, config, database } = this.#parts;
    const [row] = await database.tuples<[json: string, time: string]>(KEPT, [
      name,
      config.policy_info_location!,
    ]);
    if (!row) return undefined;
    const [json, time] = row;
    return { json, information: JSON.parse(json) as PolicyInformation, time };
  }

  /** Brings the areas up to date before information is in force. @returns whether one of them was behind */
  async #prepare(information: PolicyInformation): Promise<boolean> {
    const { schema, config, database, areas } = this.#parts;
    const tag = rulesOf(schema, config, information)?.tag;
    // When the collection is opened, users wait, and nothing else does.
    if (!tag || database.readOnly || this.#inForce === 'unknown') return false;
    return preparePolicyTag(database, await areas(), tag, () => this.#closed);
  }

  #use(information: PolicyInformation): void {
    const { schema, config } = this.#parts;
    const before = this.#tag;
    const rules = rulesOf(schema, config, information);
    if (rules && rules.tag?.id !== before?.id) this.#settled.clear();
    this.#inForce = rules ?? 'none';
  }

  get #tag(): PolicyTag | undefined {
    return typeof this.#inForce === 'string' ? undefined : this.#inForce.tag;
  }

  /** The rules in force; undefined if every caller sees every record. @throws ServiceError `policies_unavailable` */
  rules(): PolicyRules | undefined {
    if (this.#inForce === 'unknown')
      throw unavailable(`The policies of the collection '${this.#parts.name}' could not be read yet.`);
    return this.#inForce === 'none' ? undefined : this.#inForce;
  }

  /** Whether every caller sees every record. */
  get isOpen(): boolean {
    return this.#inForce === 'none';
  }

  /** The rules in force, as far as they are known. */
  known(): PolicyRules | undefined {
    return typeof this.#inForce === 'string' ? undefined : this.#inForce;
  }

  /** The visibility of a caller; undefined if that is every record. @throws ServiceError `policies_unavailable` */
  visibilityOf(caller: Caller): Visibility | undefined {
    return this.rules()?.visibilityOf(caller);
  }

  /**
   * The records of an area that a caller sees.
   *
   * @throws ServiceError `policies_unavailable` while the policies of the records are not known
   */
  async seen<Store extends ReadStore>(store: Store, visibility: Visibility): Promise<Store> {
    const settled = this.#settling(store);
    if (settled !== true) {
      const late = new Promise<'late'>((resolve) => setTimeout(resolve, TIMEOUT.policies, 'late').unref());
      if ((await Promise.race([settled, late])) === 'late') throw stillRead(this.#parts.name);
    }
    return store.as(visibility) as Store;
  }

  /** Ends the reading of stored records, which begins again when the collection is opened again. */
  close(): void {
    this.#closed = true;
  }

  /** Has the column of an area computed for the tag in force. */
  async settle(store: RecordStore): Promise<void> {
    await this.#settling(store);
  }

  #settling(store: Pick<ReadStore, 'area'>): Promise<void> | true {
    const tag = this.#tag;
    if (!tag) return true;
    const { database, name } = this.#parts;
    const { area } = store;
    const { id } = area;
    const known = this.#settled.get(id);
    if (known) return known;
    const work = database.readOnly
      ? requireTag(database, store, tag, name)
      : backgroundWork(() => addPolicyTag(database, area, tag, () => this.#closed));
    this.#settled.set(id, work);
    const end = (state: true | undefined) => {
      if (this.#settled.get(id) !== work) return;
      if (state) this.#settled.set(id, state);
      else this.#settled.delete(id);
    };
    work.then(
      () => {
        end(true);
        if (!database.readOnly) this.#index(area, tag);
      },
      () => end(undefined),
    );
    return work;
  }

  /** Has the entries of an area follow in the background; until they have, they are read one by one. */
  #index(area: AreaId, tag: PolicyTag): void {
    const { database, log, name } = this.#parts;
    backgroundWork(() => indexPolicies(database, area, tag, () => this.#closed)).catch((error: unknown) => {
      if (!this.#closed)
        log.warn({ err: error, collection: name }, 'could not index the policies of changes');
    });
  }
}

/** A process that only reads leaves it to the owner. */
async function requireTag(
  database: Database,
  { area }: Pick<ReadStore, 'area'>,
  tag: PolicyTag,
  name: string,
): Promise<void> {
  if (await hasPolicyTag(database, area, tag)) return;
  throw stillRead(name);
}

const KEEP = `INSERT INTO accession_policy_info (collection, location, json, time) VALUES ($1, $2, $3, $4)
  ON CONFLICT (collection, location) DO UPDATE SET json = excluded.json, time = excluded.time`;
const KEPT = 'SELECT json, time FROM accession_policy_info WHERE collection = $1 AND location = $2';

export function noLocation(collection: string): ServiceError {
  const message = `The collection '${collection}' has no policy_info_location to reload.`;
  return new ServiceError('policy_info_missing', message);
}

function stillRead(collection: string): ServiceError {
  return unavailable(
    `The policies of the records of the collection '${collection}' are still being read: try again later.`,
  );
}

function unavailable(message: string): ServiceError {
  return new ServiceError('policies_unavailable', message);
}

/** Larger documents are refused, in bytes: they are parsed where requests wait, as the same keys of a collection are. */
const LARGEST_POLICIES = 2 ** 23;

/**
 * Reads the text at a `policy_info_location`, by the rules of schema addresses. Reasons name neither the document nor its path.
 *
 * @param hosts on this machine or link that may be asked; undefined lets all
 * @throws ServiceError `policy_info_unreadable`
 */
export async function readPolicyText(address: string, hosts?: readonly string[]): Promise<string> {
  const url = addressed(address);
  const { text, reason } =
    url.protocol === 'file:'
      ? await readLocal(url, LARGEST_POLICIES)
      : await download(url, TIMEOUT.host, hosts, LARGEST_POLICIES);
  if (text === undefined) throw unreadable(reason ?? 'the host does not answer');
  return text;
}

function addressed(address: string): URL {
  try {
    return urlOf(address);
  } catch {
    throw unreadable('the location is neither a path nor a URL');
  }
}

function unreadable(reason: string): ServiceError {
  return new ServiceError('policy_info_unreadable', `The policy information cannot be read: ${reason}.`);
}
