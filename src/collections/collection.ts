/** A collection that is running: its schema, its stores, who may use it, and its audit logs. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { authorize } from '../access/authorize.ts';
import type { TokenDirectory } from '../access/config-tokens.ts';
import type { Grant } from '../access/grant.ts';
import type { TokenSource } from '../access/token-source.ts';
import type { AuditEntry, AuditLog } from '../audit/audit-log.ts';
import { historyOf, stateAt } from '../audit/history.ts';
import type { CollectionConfig } from '../config/config.ts';
import type { JobHandle } from '../jobs/jobs.ts';
import type { Memory } from '../memory/memory.ts';
import type { SubmissionTags } from '../records/annotate.ts';
import type { RecordText } from '../records/record.ts';
import { INTENT } from '../review/ledger-rows.ts';
import type { ReviewParts } from '../review/parts.ts';
import { Review } from '../review/review.ts';
import type { Schema } from '../schema/schema.ts';
import { addSchemaType } from '../schema-type.ts';
import { BACKENDS } from '../storage/backends.ts';
import type { StoreLog } from '../storage/log.ts';
import type { RecordStore, StoreFault } from '../storage/store.ts';
import { PageCache } from './page-cache.ts';
import { Visits } from './visits.ts';
import type { Zones } from './zones.ts';

/** What a collection is made of. */
export type CollectionParts = {
  readonly name: string;
  readonly config: CollectionConfig;
  readonly schema: Schema;
  readonly curated: RecordStore;
  readonly zones: Zones;
  readonly sources: readonly TokenSource[];
  readonly audits: readonly AuditLog[];
  /** What runs in the background for the collection, until it is closed. */
  readonly jobs: readonly JobHandle[];
  /** The tokens that are configured now. */
  readonly tokens: TokenDirectory;
  readonly log: StoreLog;
  /** The directory of the indexes of reviews. */
  readonly reviewPath: string;
  /** Whether another process owns the store. */
  readonly follows: boolean;
  readonly memory: Memory;
};

export class Collection {
  readonly name: string;
  readonly config: CollectionConfig;
  readonly schema: Schema;
  /** The classes with endpoints, in the order of the schema (specification 2.3). */
  readonly classes: readonly string[];
  readonly submissionTags: SubmissionTags;
  /** For reading; what is written goes through {@link curatedAs}. */
  readonly curated: RecordStore;
  readonly zones: Zones;
  readonly audits: readonly AuditLog[];
  /** Whether lists can be restricted with `matching`; if not, it is ignored (specification 4.1, rule 5). */
  readonly honorsMatching: boolean;
  readonly pages: PageCache;
  readonly #parts: CollectionParts;
  readonly #classSet: ReadonlySet<string>;
  readonly #places = new Map<string, string>();
  readonly #visits = new Visits();
  #review: Review | undefined;
  #retired = false;

  constructor(parts: CollectionParts) {
    this.name = parts.name;
    this.config = parts.config;
    this.schema = parts.schema;
    this.curated = parts.curated;
    this.zones = parts.zones;
    this.audits = parts.audits;
    this.honorsMatching = BACKENDS[parts.config.backend.type].traits.matching;
    this.classes = classesWithEndpoints(parts.schema, parts.config);
    this.submissionTags = {
      submitterId: parts.config.submission_tags.submitter_id_tag,
      submissionTime: parts.config.submission_tags.submission_time_tag,
    };
    this.pages = new PageCache(parts.memory);
    this.#parts = parts;
    this.#classSet = new Set(this.classes);
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

  /** @throws ServiceError `token_required`, `token_refused` */
  authorize(token: string | undefined): Promise<Grant> {
    const { sources, tokens, config } = this.#parts;
    const defaultGrant = tokens.grantOfName(config.default_token, this.name);
    return authorize({ collection: this.name, sources, defaultGrant }, token);
  }

  /** The text of a record as it is returned: always with its class (specification 2.1). */
  typed({ className, json }: RecordText): string {
    return addSchemaType(json, this.schema.schemaType(className));
  }

  /** The entries of a curated record, oldest first. @param spellings pids under which logs may have the record */
  history(iri: string, spellings: readonly string[]): AsyncIterable<AuditEntry> {
    return historyOf({ store: this.curated }, this.audits[0], iri, spellings);
  }

  /** The canonical JSON of a curated record as it was at a time; undefined if there was none. */
  stateAt(iri: string, spellings: readonly string[], at: string): Promise<string | undefined> {
    return stateAt({ store: this.curated }, this.audits[0], iri, spellings, at);
  }

  /**
   * A short name of an area of the collection for entity tags; the empty label means the curated area. It depends on the
   * schema, which decides how a stored record is answered.
   */
  placeOf(label: string): string {
    let place = this.#places.get(label);
    if (place === undefined) {
      const named = `${this.name}\n${label}\n${this.schema.digest}`;
      place = createHash('sha256').update(named).digest('base64url').slice(0, 10);
      this.#places.set(label, place);
    }
    return place;
  }

  /** The entity tag of a record as JSON; the empty label means the curated area. */
  etagOf(label: string, revision: number): string {
    return `"${this.placeOf(label)}.${revision.toString(36)}.json"`;
  }

  /** The review of the zones; its index is opened when it is first used. */
  get review(): Review {
    this.#review ??= new Review(reviewParts(this, this.#parts));
    return this.#review;
  }

  /** Carries out decisions that a crash has interrupted, before a zone is read. */
  async recover(): Promise<void> {
    if ((await this.curated.ledger.count({ kind: INTENT })) > 0) await this.review.recover();
  }

  /** What operators have to know of the review, if it was used. */
  reviewFaults(): readonly StoreFault[] {
    return this.#review?.faults() ?? [];
  }

  /**
   * A request begins to use the collection. The collection and the zones that the request finds stay open until it leaves.
   *
   * @returns the function that leaves, to be called once
   */
  enter(): () => void {
    const leave = this.#visits.enter();
    return () => {
      leave();
      if (this.#retired && this.#visits.present === 0) void this.#close();
      else
        for (const zone of this.zones.takeUnused()) this.#visits.whenGone(() => this.zones.closeTaken(zone));
    };
  }

  /** The labels whose zones may have changed since the last call. */
  usedZones(): ReadonlySet<string> {
    const { labels, asked } = this.zones.takeUsed();
    // Requests that have asked for a zone may write after this.
    if (asked.size > 0) this.#visits.whenGone(() => this.zones.useAgain(asked));
    return labels;
  }

  /** Closes the collection when the last request has left it. */
  async retire(): Promise<void> {
    this.#retired = true;
    if (this.#visits.present === 0) await this.#close();
  }

  /** Closes every part, even if one of them fails: no request waits for the result. */
  async #close(): Promise<void> {
    const { sources, jobs, log } = this.#parts;
    for (const job of jobs) await job.stop();
    for (const part of [
      ...(this.#review ? [this.#review] : []),
      ...this.audits,
      this.zones,
      this.curated,
      ...sources,
    ]) {
      await part.close().catch((error: unknown) => {
        log.warn({ err: error, collection: this.name }, 'could not close a part of the collection');
      });
    }
  }
}

function reviewParts(
  collection: Collection,
  { config, log, reviewPath, follows }: CollectionParts,
): ReviewParts {
  const { name, schema, submissionTags: tags, curated, zones, honorsMatching: matching } = collection;
  // Another collection of the name, with other areas, has another queue.
  const areas = `${name}\n${config.curated}\n${config.incoming}\n${config.backend.type}`;
  const file = createHash('sha256').update(areas).digest('hex').slice(0, 16);
  return {
    ...{ collection: name, schema, tags, curated, matching, log },
    zones: {
      labels: async () => (zones.exist ? zones.labels() : []),
      open: (label) => zones.open(label),
      follow: (label) => zones.follow(label),
      revisions: () => zones.revisions(),
      used: () => (follows ? undefined : collection.usedZones()),
    },
    indexFile: join(reviewPath, `${file}.db`),
    shared: follows || config.backend.type.startsWith('postgresql'),
    follows,
    etagOf: (label, revision) => collection.etagOf(label, revision),
    showReviewer: config.review?.show_reviewer ?? false,
    hold: () => collection.enter(),
  };
}

function lastPart(uri: string): string {
  return uri.slice(uri.search(/[^#/:]*$/));
}

function classesWithEndpoints(schema: Schema, { use_classes, ignore_classes }: CollectionConfig): string[] {
  return schema.recordClasses.filter(
    (name) => (use_classes.length === 0 || use_classes.includes(name)) && !ignore_classes.includes(name),
  );
}
