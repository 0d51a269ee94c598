/**
 * The collections that are running. An immutable snapshot of them is replaced as a whole when the configuration
 * changes; a request in flight keeps the one that it started with.
 */
import { TokenDirectory } from '../access/config-tokens.ts';
import { Forges } from '../access/forge-client.ts';
import type { AuditLogs } from '../audit/logs.ts';
import { type CollectionConfig, type Configuration, EMPTY_CONFIGURATION, entryOf } from '../config/config.ts';
import type { Prepared, Realizer } from '../config/state.ts';
import { ServiceError } from '../errors.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { StoreLog } from '../storage/log.ts';
import type { StoreHandles } from '../storage/store-handles.ts';
import type { Collection } from './collection.ts';
import { type CollectionContext, openCollection } from './open-collection.ts';
import { Schemas } from './schemas.ts';

/** The state that a request works with. */
export type Snapshot = {
  readonly configuration: Configuration;
  readonly collections: ReadonlyMap<string, Collection>;
};

export type RegistryOptions = {
  /** The store directory. */
  readonly storeRoot: string;
  /** Whether a collection is in maintenance mode now. */
  readonly inMaintenance: (collection: string) => boolean;
  readonly handles: StoreHandles;
  readonly logs: AuditLogs;
  readonly jobs: Jobs;
  readonly keepEntries?: number;
  readonly log: StoreLog;
};

const NOTHING: Snapshot = { configuration: EMPTY_CONFIGURATION, collections: new Map() };

/** Carries configurations out, and finds the collection that a request is about. */
export class Registry implements Realizer {
  readonly #tokens = new TokenDirectory();
  readonly #context: Omit<CollectionContext, 'openSchema'>;
  readonly #schemas: Schemas;
  #current: Snapshot = NOTHING;

  constructor(options: RegistryOptions) {
    this.#schemas = new Schemas(options.storeRoot, options.log);
    this.#context = {
      ...options,
      tokens: this.#tokens,
      forges: new Forges(),
      tokenLabels: (collection) => labelsIn(this.#current.configuration, collection),
    };
  }

  current(): Snapshot {
    return this.#current;
  }

  /** @throws ServiceError `collection_unknown` */
  collection(name: string): Collection {
    const collection = this.#current.collections.get(name);
    if (collection) return collection;
    throw new ServiceError('collection_unknown', `There is no collection '${name}'.`);
  }

  /**
   * Opens the collections that an edit has set, the others are kept as they run. One that is set to what it was is opened
   * anew as well: that is how an administrator has a changed schema taken over.
   */
  async prepare(next: Configuration): Promise<Prepared> {
    const collections = new Map<string, Collection>();
    const context = { ...this.#context, openSchema: this.#schemas.reading() };
    const opened: Collection[] = [];
    const discard = async () => {
      for (const collection of opened) await collection.retire();
    };
    try {
      for (const [name, config] of Object.entries(next.collections)) {
        const running = this.#current.collections.get(name);
        const kept = running?.config === config ? running : undefined;
        const collection = kept ?? (await openNamed(name, config, context));
        if (!kept) opened.push(collection);
        collections.set(name, collection);
      }
    } catch (error) {
      await discard();
      throw error;
    }
    return { activate: () => this.#activate({ configuration: next, collections }), discard };
  }

  /** Closes all collections when the requests in flight have left them. */
  async close(): Promise<void> {
    const { collections } = this.#current;
    this.#current = NOTHING;
    for (const collection of collections.values()) await collection.retire();
  }

  #activate(next: Snapshot): void {
    const kept = new Set(next.collections.values());
    const dropped = [...this.#current.collections.values()].filter((collection) => !kept.has(collection));
    this.#tokens.replace(next.configuration.tokens);
    this.#current = next;
    for (const collection of dropped) void collection.retire();
  }
}

/** Opens a collection; what keeps it closed is told with its name, since it may be one of many. */
async function openNamed(name: string, config: CollectionConfig, context: CollectionContext) {
  try {
    return await openCollection(name, config, context);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { code, message, problems, cause } = error;
    throw new ServiceError(code, `The collection '${name}' can't be opened: ${message}`, problems, { cause });
  }
}

/** The zones that the tokens of a collection name. */
function* labelsIn({ tokens }: Configuration, collection: string): Iterable<string> {
  for (const token of Object.values(tokens)) {
    const label = entryOf(token.collections, collection)?.incoming_label;
    if (label) yield label;
  }
}
