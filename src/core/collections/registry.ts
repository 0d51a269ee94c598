/**
 * The collections that are running. An immutable snapshot of them is replaced as a whole when the configuration
 * changes; a request in flight keeps the one that it started with.
 */
import { TokenDirectory } from '../access/config-tokens.ts';
import { Forges } from '../access/forge-client.ts';
import type { OpenModuleSource } from '../access/sources.ts';
import {
  type CollectionConfig,
  type Configuration,
  EMPTY_CONFIGURATION,
  entryOf,
  type PolicyInformation,
} from '../config/config.ts';
import { areaPath, locate } from '../config/paths.ts';
import { parsePolicyInformation, writtenPolicies } from '../config/policies.ts';
import type { Persistent } from '../config/record.ts';
import {
  type ConfigurationHost,
  type OnFailure,
  type PreparedConfiguration,
  REFUSE,
  TOLERATE,
} from '../config/state.ts';
import { RETRY } from '../durations.ts';
import { isServiceError, ServiceError } from '../errors.ts';
import type { Schema, SchemaMap } from '../schema/schema.ts';
import type { Participants } from '../storage/database.ts';
import { preparePolicyTag } from '../storage/policy-column.ts';
import type { JobHandle } from '../work/jobs.ts';
import type { AreaFiles } from './area-files.ts';
import type { Collection } from './collection.ts';
import { type CollectionContext, openCollection, type SetCollection } from './open-collection.ts';
import type { Attach } from './part.ts';
import { readPolicyText } from './policies.ts';
import { rulesOf } from './policy-rules.ts';
import { Schemas, type Trial } from './schemas.ts';
import { settleRecords } from './settle.ts';
import { areaIndex } from './stores.ts';
import { type ConfiguredTerms, type TermSource, termsOf } from './terms.ts';
import { type Unavailable, unavailable } from './unavailable.ts';

/** The state that a request works with. */
export type Snapshot = {
  readonly configuration: Configuration;
  readonly collections: ReadonlyMap<string, Collection>;
  /** The collections that are configured and could not be opened. */
  readonly unavailable: ReadonlyMap<string, Unavailable>;
  readonly maintenance: ReadonlySet<string>;
};

/** The parts of the context that the registry does not make. */
type RegistryOptions = Omit<
  CollectionContext,
  | 'attach'
  | 'tokens'
  | 'forges'
  | 'openModuleSource'
  | 'openTerms'
  | 'openSchema'
  | 'readPolicies'
  | 'onFailure'
> & {
  /** Makes what modules add, which may keep the registry and is not asked before the first configuration is in force. */
  readonly extend: (registry: Registry) => Extension;
  readonly schemaMap?: SchemaMap;
  /** The hosts on this machine or link that may be asked for schemas; undefined lets all. */
  readonly schemaHosts?: readonly string[];
  /** Which staged changes companions see, see {@link Participants.concerned}. */
  readonly concerned: string | undefined;
};

/** What modules add to all collections: their parts, the vocabularies that the schemas name, and sources of tokens. */
export type Extension = {
  readonly attach: Attach<Collection>;
  readonly terms: TermSource;
  readonly openSource: OpenModuleSource;
};

const EMPTY_SNAPSHOT: Snapshot = {
  configuration: EMPTY_CONFIGURATION,
  collections: new Map(),
  unavailable: new Map(),
  maintenance: new Set(),
};

/** Carries configurations out, and finds the collection that a request is about. */
export class Registry implements ConfigurationHost {
  readonly #context: Omit<CollectionContext, 'openSchema' | 'onFailure'>;
  readonly #schemas: Schemas;
  #current: Snapshot = EMPTY_SNAPSHOT;
  #isClosed = false;
  #areas = areaIndex<Collection>([]);
  readonly #retries = new Map<Unavailable, JobHandle>();
  readonly #activated = new Set<() => void>();
  readonly files: AreaFiles;
  readonly #concerned: string | undefined;
  readonly #extension: Extension;
  readonly participants: Participants = {
    companions: (path) => this.#areas.at(path).flatMap((collection) => collection.companionsAt(path)),
    concerned: () => this.#concerned,
    mirror: (path) => this.files.mirror(path),
  };

  constructor(options: RegistryOptions) {
    const { storeRoot, log, schemaMap, schemaHosts: hosts } = options;
    this.#schemas = new Schemas(storeRoot, log, schemaMap, {
      ...(hosts && { hosts }),
      keep: !options.database.readOnly,
    });
    this.#concerned = options.concerned;
    this.files = options.files;
    this.#context = {
      ...options,
      tokens: new TokenDirectory(),
      forges: new Forges(),
      attach: (collection) => this.#extension.attach(collection),
      openTerms: (configured) => this.terms.open(configured),
      openModuleSource: (config, collection) => this.#extension.openSource(config, collection),
      readPolicies: (address) => readPolicyText(address, hosts),
    };
    this.#extension = options.extend(this);
  }

  /** See {@link TermSource}. */
  get terms(): TermSource {
    return this.#extension.terms;
  }

  /** See {@link Schemas.locate}. @throws ServiceError `schema_invalid` */
  locate(source: string): URL {
    return this.#schemas.locate(source);
  }

  current(): Snapshot {
    return this.#current;
  }

  /** The tokens of the current configuration. */
  get tokens(): TokenDirectory {
    return this.#context.tokens;
  }

  /** @throws ServiceError `collection_unknown` */
  collection(name: string): Collection {
    const collection = this.#current.collections.get(name);
    if (collection) return collection;
    throw new ServiceError('collection_unknown', `The collection '${name}' does not exist.`);
  }

  async readAhead(next: Configuration): Promise<ConfigurationHost['prepare']> {
    const openSchema = this.#schemas.reading();
    const policies = new Map<string, Promise<string>>();
    this.#schemas.useMap(next.schema_map);
    const set = Object.entries(next.collections).filter(([name, config]) => !this.#has(name, config));
    await Promise.allSettled(
      set.map(async ([, config]) => {
        const { schema: source, policy_info_location: address } = config;
        if (address !== undefined) policies.set(address, this.readPolicies(address));
        const [schema, text] = await Promise.all([
          this.terms.open(termsOf(config)).then((terms) => openSchema(source, terms)),
          policies.get(address ?? ''),
        ]);
        const information = writtenPolicies(config) ?? parsePolicyInformation(text ?? '');
        const wasBehind = await this.#preparePolicies(schema, config, information);
        if (!wasBehind || address === undefined) return;
        // That may have taken minutes, in which something newer may have been put in force.
        policies.set(address, this.readPolicies(address));
        await policies.get(address);
      }),
    );
    // Read once: it is read again when it is reloaded.
    const readPolicies = (address: string) => {
      const text = policies.get(address);
      policies.delete(address);
      return text ?? this.readPolicies(address);
    };
    return (persistent, onFailure) => this.prepare(persistent, onFailure, { openSchema, readPolicies });
  }

  /**
   * Brings records up to date with policies before these are in force. Callers see by the former ones until then, and other changes of
   * the configuration do not wait.
   *
   * @returns whether some were behind
   */
  async #preparePolicies(
    schema: Schema,
    config: CollectionConfig,
    information: PolicyInformation,
  ): Promise<boolean> {
    const { database, storeRoot: root } = this.#context;
    const tag = rulesOf(schema, config, information)?.tag;
    if (!tag) return false;
    const pathOf = (place: string) => areaPath(root, locate(root, place, 'area'));
    const curated = await database.existingArea(pathOf(config.curated));
    const zones = config.incoming === null ? [] : await database.areasBelow(pathOf(config.incoming));
    const areas = [...(curated ? [curated.area] : []), ...zones];
    return preparePolicyTag(database, areas, tag, () => this.#isClosed);
  }

  /** Whether a collection is open, or waits to be, as it is configured. */
  #has(name: string, config: CollectionConfig): boolean {
    const { collections, unavailable } = this.#current;
    return collections.get(name)?.config === config || unavailable.get(name)?.config === config;
  }

  /**
   * Opens the collections that an edit has set; the others are kept as they run. One that is set to what it was is opened
   * again as well: that is how an administrator applies a changed schema.
   */
  async prepare(
    { configuration: next, settings }: Persistent,
    onFailure: OnFailure = REFUSE,
    read?: Pick<CollectionContext, 'openSchema' | 'readPolicies'>,
  ): Promise<PreparedConfiguration> {
    if (this.#isClosed) throw new ServiceError('stopping', 'The service is stopping: nothing was changed.');
    const { collections: running } = this.#current;
    this.#schemas.useMap(next.schema_map);
    const context = { ...this.#context, onFailure, openSchema: this.#schemas.reading(), ...read };
    const opened = new Map<string, Collection>();
    const failed = new Map<string, Unavailable>();
    const discard = async () => {
      for (const collection of opened.values()) await collection.close();
    };
    for (const [name, config] of Object.entries(next.collections)) {
      if (this.#has(name, config)) continue;
      const setting = entryOf(settings, name) ?? 0;
      try {
        const isNew =
          onFailure.collection === 'refuse' && running.get(name)?.config.curated !== config.curated;
        const former = running.get(name)?.schema;
        opened.set(name, await openNamed(name, { config, setting }, context, isNew, former));
      } catch (error) {
        if (onFailure.collection === 'refuse') {
          await discard();
          throw error;
        }
        context.log.warn({ err: error, collection: name }, 'could not open the collection, will retry');
        failed.set(name, unavailable(name, { config, setting }, error, context));
      }
    }
    return { activate: (maintenance) => this.#activate(next, opened, failed, maintenance), discard };
  }

  /** Calls back when a configuration is in force. */
  onActivate(callback: () => void): void {
    this.#activated.add(callback);
  }

  /** A schema that is tried out, with the vocabularies of a configuration. @throws ServiceError `schema_invalid` */
  async trySchema(trial: Omit<Trial, 'terms'>, configured: ConfiguredTerms): Promise<Schema> {
    const terms = await this.terms.open(configured);
    return this.#schemas.trial(this.#context.pool, { ...trial, terms });
  }

  /** The text at a `policy_info_location`. @throws ServiceError `policy_info_unreadable` */
  readPolicies(address: string): Promise<string> {
    return this.#context.readPolicies(address);
  }

  maintain(maintenance: ReadonlySet<string>): void {
    this.#current = { ...this.#current, maintenance };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const { collections } = this.#current;
    this.#current = EMPTY_SNAPSHOT;
    await Promise.all([...this.#retries.values()].map((job) => job.stop()));
    for (const collection of collections.values()) await collection.close();
    await this.files.close();
  }

  /**
   * Applies a configuration: of each collection the newly opened one, else the running one, else the failed one.
   *
   * @returns when the records of the opened ones are brought up to date
   */
  async #activate(
    configuration: Configuration,
    opened: ReadonlyMap<string, Collection>,
    failed: ReadonlyMap<string, Unavailable>,
    maintenance: ReadonlySet<string>,
  ): Promise<void> {
    const before = this.#current;
    const collections = new Map<string, Collection>();
    const closed = new Map<string, Unavailable>();
    for (const [name, config] of Object.entries(configuration.collections)) {
      const running = before.collections.get(name);
      const collection = opened.get(name) ?? (running?.config === config ? running : undefined);
      const waiting = failed.get(name) ?? before.unavailable.get(name);
      if (collection) collections.set(name, collection);
      else if (waiting) closed.set(name, waiting);
    }
    this.#context.tokens.replace(configuration.tokens);
    this.#current = { configuration, collections, unavailable: closed, maintenance };
    this.#areas = areaIndex(collections.values());
    for (const collection of before.collections.values()) {
      if (collections.get(collection.name) !== collection) void collection.close();
    }
    this.#retryLater();
    for (const callback of this.#activated) callback();
    const { log } = this.#context;
    try {
      await this.files.use(collections);
      for (const collection of opened.values()) await settleRecords(collection, log);
      await this.files.begin();
    } catch (error) {
      // It is tried again at the next start.
      log.warn({ err: error }, 'could not bring records and files up to date');
    }
  }

  /** Has a job for each unavailable collection, and none for others. */
  #retryLater(): void {
    const waiting = new Set(this.#current.unavailable.values());
    for (const [one, job] of this.#retries) {
      if (waiting.has(one)) continue;
      this.#retries.delete(one);
      // The job may be what has opened it, so its end cannot be awaited.
      void job.stop();
    }
    for (const one of waiting) {
      if (this.#retries.has(one)) continue;
      const job = this.#context.jobs.add({
        name: 'open',
        collection: one.name,
        delay: isAway(one.cause) ? RETRY.awayCollection : RETRY.collection,
        retry: isAway(one.cause) ? 2 * RETRY.awayCollection : 2 * RETRY.collection,
        run: () => this.reopen(one.name),
      });
      this.#retries.set(one, job);
      job.wake();
    }
  }

  /** Tries to open an unavailable collection again. @throws the reason why it cannot be opened */
  async reopen(name: string): Promise<void> {
    const waiting = this.#current.unavailable.get(name);
    if (!waiting) return;
    const context = {
      ...this.#context,
      onFailure: TOLERATE,
      openSchema: this.#schemas.reading(),
    };
    const collection = await openNamed(name, waiting, context);
    // The configuration may have changed meanwhile.
    if (this.#current.unavailable.get(name) !== waiting) {
      await collection.close();
      return;
    }
    const { configuration, maintenance } = this.#current;
    await this.#activate(configuration, new Map([[name, collection]]), new Map(), maintenance);
    context.log.warn({ collection: name }, 'the collection is available again');
  }
}

function isAway(error: unknown): boolean {
  return isServiceError(error) && error.code === 'storage_unavailable';
}

/** Opens a collection; an error mentions its name, since it may be one of many. */
async function openNamed(
  name: string,
  set: SetCollection,
  context: CollectionContext,
  isNew = false,
  former?: Schema,
): Promise<Collection> {
  try {
    return await openCollection(name, set, context, isNew, former);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    const { code, message, problems, cause } = error;
    throw new ServiceError(code, `The collection '${name}' cannot be opened: ${message}`, problems, {
      cause,
    });
  }
}
