/** A collection that is running: its schema, its areas, who may use it, and the parts of modules. */
import { hash } from 'node:crypto';
import { compareCodePoints } from '#linkml/json.ts';
import { didYouMean } from '#linkml/suggestions.ts';
import { type AccessRules, authorize, authorizeAgain } from '../access/authorize.ts';
import type { TokenDirectory } from '../access/config-tokens.ts';
import { type FormerGrant, type Grant, MOST_CURATORS, type TokenSource } from '../access/grant.ts';
import { BACKENDS } from '../config/backends.ts';
import type { CollectionConfig } from '../config/config.ts';
import { requireUnset } from '../config/record.ts';
import { ServiceError } from '../errors.ts';
import type { SubmissionTags } from '../records/annotate.ts';
import { etagOf } from '../records/condition.ts';
import { storedClasses } from '../schema/record-classes.ts';
import type { Schema } from '../schema/schema.ts';
import type { Companion, Database, Draft } from '../storage/database.ts';
import type { StoreLog } from '../storage/log.ts';
import type { ReadStore, RecordStore } from '../storage/store.ts';
import type { Visibility } from '../storage/visibility.ts';
import type { Pool } from '../work/pool.ts';
import type { Caches } from './caches.ts';
import type { FormerViews } from './former-views.ts';
import type { PageCache, Pages } from './page-cache.ts';
import type { Attach, CollectionPart, Fault, Hints, Moves, PartKey } from './part.ts';
import type { Policies } from './policies.ts';
import type { Zones } from './zones.ts';

type CollectionParts = {
  readonly name: string;
  readonly config: CollectionConfig;
  /** The revision of the change that set it. */
  readonly setting: number;
  readonly schema: Schema;
  readonly database: Database;
  readonly curated: RecordStore;
  readonly zones: Zones;
  readonly sources: readonly TokenSource[];
  /** The background work for the collection, until it is closed. */
  readonly jobs: readonly { stop(): Promise<void> }[];
  /** The tokens that are configured now. */
  readonly tokens: TokenDirectory;
  readonly log: StoreLog;
  readonly cache: PageCache;
  readonly caches: Caches;
  /** Where long submissions are read. */
  readonly pool: Pool;
  /** Undefined if the configuration has none: then every caller sees every record. */
  readonly policies: Policies | undefined;
  /** Makes the parts of modules. */
  readonly attach: Attach<Collection>;
};

export class Collection {
  readonly name: string;
  readonly config: CollectionConfig;
  readonly schema: Schema;
  /** The classes with endpoints, in the order of the schema (specification 2.3). */
  readonly classes: readonly string[];
  readonly submissionTags: SubmissionTags;
  readonly database: Database;
  readonly curated: RecordStore;
  readonly zones: Zones;
  /** Whether lists can be restricted with `matching`; if not, it is ignored (specification 4.1, rule 5). */
  readonly honorsMatching: boolean;
  readonly pages: Pages;
  readonly former: FormerViews;
  readonly policies: Policies | undefined;
  readonly pool: Pool;
  /** The parts of modules, by their names. */
  readonly attached: ReadonlyMap<string, CollectionPart>;
  /** See {@link CollectionPart.hints}; undefined without a module that gives some. */
  readonly hints: Hints | undefined;
  /** See {@link CollectionPart.moves}. */
  readonly moves: Moves | undefined;
  readonly #parts: CollectionParts;
  readonly #classSet: ReadonlySet<string>;
  readonly #scopes = new Map<string, string>();

  constructor(parts: CollectionParts) {
    const { name, config, schema, database, curated, zones } = parts;
    this.name = name;
    this.config = config;
    this.schema = schema;
    this.database = database;
    this.curated = curated;
    this.zones = zones;
    this.policies = parts.policies;
    this.pool = parts.pool;
    this.honorsMatching = BACKENDS[config.backend.type].matching;
    this.classes = storedClasses(schema, config);
    this.submissionTags = {
      submitterId: config.submission_tags.submitter_id_tag,
      submissionTime: config.submission_tags.submission_time_tag,
    };
    this.pages = parts.cache.pages();
    this.former = parts.caches.former;
    this.#parts = parts;
    this.#classSet = new Set(this.classes);
    this.attached = parts.attach(this);
    const ofModules = [...this.attached.values()];
    this.hints = ofModules.find(({ hints }) => hints)?.hints;
    this.moves = ofModules.find(({ moves }) => moves)?.moves;
  }

  /** The part of a module. */
  part<Part extends CollectionPart>({ name }: PartKey<Part>): Part {
    const part = this.attached.get(name);
    if (!part) throw new Error(`The module '${name}' is not attached to the collection '${this.name}'.`);
    return part as Part;
  }

  hasClass(className: string): boolean {
    return this.#classSet.has(className);
  }

  /**
   * The class that a path names: by its name or, if no class has that name, by the last part of its URI. Clients take it
   * from the `schema_type` of a record.
   */
  classNamed(given: string): string | undefined {
    if (this.hasClass(given)) return given;
    const found = this.classes.filter((name) => lastPart(this.schema.classes.get(name)?.uri ?? '') === given);
    return found.length === 1 ? found[0] : undefined;
  }

  /** The class that the path of a request names. @throws ServiceError `class_unknown` */
  requireClass(given: string): string {
    const found = this.classNamed(given);
    if (found !== undefined) return found;
    this.requireClassOfSchema(given);
    const message = `The collection '${this.name}' stores no records of the class '${given}'. GET /server lists the classes that it stores.`;
    throw new ServiceError('class_unknown', message);
  }

  /** Refuses the name of a class that the schema does not have. @throws ServiceError `class_unknown` */
  requireClassOfSchema(given: string): void {
    if (this.schema.classes.has(given)) return;
    const hint = didYouMean(given, this.classes);
    throw new ServiceError('class_unknown', `The collection '${this.name}' has no class '${given}'.${hint}`);
  }

  /** @throws ServiceError `token_required`, `token_refused` */
  authorize(token: string | undefined): Promise<Grant> {
    return authorize(this.#rules(), token);
  }

  /** See {@link authorizeAgain}. */
  authorizeAgain(former: FormerGrant): Promise<Grant | undefined> {
    return authorizeAgain(this.#rules(), former);
  }

  #rules(): AccessRules {
    const { sources } = this.#parts;
    return { collection: this.name, sources, defaultGrant: this.defaultCaller() };
  }

  /** The users who curate, see {@link TokenSource.curators}; sorted. */
  async curators(among?: readonly string[]): Promise<readonly string[]> {
    const found = new Set<string>();
    for (const source of this.#parts.sources)
      for (const id of (await source.curators?.(among)) ?? []) found.add(id);
    return [...found].sort(compareCodePoints).slice(0, MOST_CURATORS);
  }

  /** Who asks without a token; undefined if the default token is not defined. */
  defaultCaller(): Grant | undefined {
    const { tokens, config } = this.#parts;
    return tokens.grantOfName(config.default_token, this.name);
  }

  /** Returns the records that a caller sees on user endpoints; undefined if that is every record. @throws ServiceError `policies_unavailable` */
  visibilityOf(caller: Grant): Visibility | undefined {
    return this.policies?.visibilityOf(caller);
  }

  /** The records of a store that a caller sees. @throws ServiceError `policies_unavailable` */
  async seen<Store extends ReadStore>(store: Store, visibility: Visibility | undefined): Promise<Store> {
    return visibility && this.policies ? this.policies.seen(store, visibility) : store;
  }

  /**
   * The scope of entity tags of an area: a short name of the collection and the area, the same over restarts. The empty label means the
   * curated area. It depends on the schema, which decides how a stored record is answered.
   */
  scopeOf(label: string): string {
    let scope = this.#scopes.get(label);
    if (scope === undefined) {
      const named = `${this.name}\n${label}\n${this.schema.digest}`;
      scope = hash('sha256', named, 'base64url').slice(0, 10);
      this.#scopes.set(label, scope);
    }
    return scope;
  }

  /** The entity tag of a record as JSON for curators; the empty label means the curated area. */
  etagOf(label: string, revision: number): string {
    return etagOf({ scope: this.scopeOf(label), revision }, 'json');
  }

  /** Returns what is wrong with files of modules. */
  faults(): Fault[] {
    return [...this.attached.values()].flatMap((part) => part.faults?.() ?? []);
  }

  /** Returns the companions by which modules add to writes to an area. */
  companionsAt(path: string): Companion[] {
    return [...this.attached.values()].flatMap((part) => part.companion?.(path) ?? []);
  }

  /**
   * {@link Database.transact} for records that the schema of the collection has judged.
   *
   * @throws ServiceError `busy` if the collection was set again meanwhile
   */
  transact<T>(prepare: (draft: Draft) => Promise<T>): Promise<T> {
    const { name, setting } = this.#parts;
    return this.database.transact(async (draft) => {
      await requireUnset(draft, name, setting);
      return prepare(draft);
    });
  }

  /** Ends what runs for the collection. Requests in flight go on: they need none of it. */
  async close(): Promise<void> {
    const { jobs, log } = this.#parts;
    this.policies?.close();
    for (const job of jobs) await job.stop();
    for (const part of this.attached.values()) {
      await part.close?.().catch((error: unknown) => {
        log.warn({ err: error, collection: this.name }, 'could not close a part of the collection');
      });
    }
  }
}

function lastPart(uri: string): string {
  return uri.slice(uri.search(/[^#/:]*$/));
}
