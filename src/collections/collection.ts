/** A collection that is running: its schema, its stores, who may use it, and its audit logs. */
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { authorize } from '../access/authorize.ts';
import type { Grant } from '../access/grant.ts';
import type { TokenSource } from '../access/token-source.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { auditedStore } from '../audit/audited-store.ts';
import type { CollectionConfig } from '../config/config.ts';
import { confineZone, labelProblem } from '../config/paths.ts';
import { ServiceError } from '../errors.ts';
import { compareCodePoints } from '../json.ts';
import type { SubmissionTags } from '../records/annotate.ts';
import { Overlay } from '../records/overlay.ts';
import type { RecordText, RecordView } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import { withSchemaType } from '../storage/schema-type-layer.ts';
import type { RecordStore } from '../storage/store.ts';

/** What a collection is made of. Functions give what changes without the collection. */
export type CollectionParts = {
  readonly name: string;
  readonly config: CollectionConfig;
  readonly schema: Schema;
  readonly curated: RecordStore;
  /** The store of a directory with the collection's backend. */
  readonly openStore: (directory: string) => Promise<RecordStore>;
  readonly sources: readonly TokenSource[];
  readonly audits: readonly AuditLog[];
  /** The grant of the default token, while there is one for the collection. */
  readonly defaultGrant: () => Grant | undefined;
  /** The labels that configured tokens name. */
  readonly tokenLabels: () => Iterable<string>;
  readonly inMaintenance: () => boolean;
  readonly storeRoot: string;
  /** Absolute, and confined to the store. */
  readonly curatedPath: string;
  /** The same; undefined where no token can write. */
  readonly incomingPath: string | undefined;
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
  readonly audits: readonly AuditLog[];
  readonly #parts: CollectionParts;
  readonly #classSet: ReadonlySet<string>;
  readonly #zones = new Map<string, Promise<RecordStore>>();
  readonly #overlays = new Map<string, Overlay>();
  readonly #places = new Map<string, string>();
  #requests = 0;
  #retired = false;

  constructor(parts: CollectionParts) {
    this.name = parts.name;
    this.config = parts.config;
    this.schema = parts.schema;
    this.curated = parts.curated;
    this.audits = parts.audits;
    this.classes = classesWithEndpoints(parts.schema, parts.config);
    this.submissionTags = {
      submitterId: parts.config.submission_tags.submitter_id_tag,
      submissionTime: parts.config.submission_tags.submission_time_tag,
    };
    this.#parts = parts;
    this.#classSet = new Set(this.classes);
  }

  hasClass(className: string): boolean {
    return this.#classSet.has(className);
  }

  inMaintenance(): boolean {
    return this.#parts.inMaintenance();
  }

  /** @throws ServiceError `token_required`, `token_refused` */
  authorize(token: string | undefined): Promise<Grant> {
    const { sources, defaultGrant } = this.#parts;
    return authorize({ collection: this.name, sources, defaultGrant }, token);
  }

  /** The text of a record as it is answered: always with its `schema_type` (specification 2.1). */
  typed({ className, json }: RecordText): string {
    return withSchemaType(json, this.schema.schemaType(className));
  }

  /** The curated area with the names of those who change it, for the audit log. */
  curatedAs(committerId: string, authorId: string): RecordStore {
    return auditedStore(this.curated, this.audits, { committerId, authorId }, (record) => this.typed(record));
  }

  /**
   * The zone of a label, opened when it is first used.
   *
   * @throws ServiceError `path_outside_store` for a label that can't be the name of a directory
   */
  zone(label: string): Promise<RecordStore> {
    const known = this.#zones.get(label);
    if (known) return known;
    const zone = this.#openZone(label);
    this.#zones.set(label, zone);
    zone.catch(() => this.#zones.delete(label));
    return zone;
  }

  /** The zone of a label, for writing. A zone that is the curated area itself is audited like it. */
  zoneAs(label: string, userId: string): Promise<RecordStore> {
    return this.isCurated(label) ? Promise.resolve(this.curatedAs(userId, userId)) : this.zone(label);
  }

  /** Whether the zone is the curated area: such a configuration is in use (decisions §4). */
  isCurated(label: string): boolean {
    const { storeRoot, incomingPath, curatedPath } = this.#parts;
    return incomingPath !== undefined && confineZone(storeRoot, incomingPath, label) === curatedPath;
  }

  /** A zone over the curated area. */
  async overlay(label: string): Promise<RecordView> {
    const zone = await this.zone(label);
    const overlay = this.#overlays.get(label) ?? new Overlay(zone, this.curated);
    this.#overlays.set(label, overlay);
    return overlay;
  }

  /** All labels, sorted: those that tokens name, and those on disk. */
  async labels(): Promise<string[]> {
    const labels = new Set(this.#parts.tokenLabels());
    for (const label of await this.#labelsOnDisk()) labels.add(label);
    return [...labels].sort(compareCodePoints);
  }

  async hasLabel(label: string): Promise<boolean> {
    if (labelProblem(label) !== undefined || this.#parts.incomingPath === undefined) return false;
    return this.#zones.has(label) || (await this.labels()).includes(label);
  }

  /** A short name of an area of the collection for entity tags; the empty label means the curated area. */
  placeOf(label: string): string {
    let place = this.#places.get(label);
    if (place === undefined) {
      place = createHash('sha256').update(`${this.name}\n${label}`).digest('base64url').slice(0, 10);
      this.#places.set(label, place);
    }
    return place;
  }

  /** A request begins to use the collection, which stays open until the request has left it. */
  enter(): void {
    this.#requests++;
  }

  leave(): void {
    this.#requests--;
    if (this.#retired && this.#requests === 0) void this.#close();
  }

  /** Closes the collection when the last request has left it. */
  async retire(): Promise<void> {
    this.#retired = true;
    if (this.#requests === 0) await this.#close();
  }

  async #openZone(label: string): Promise<RecordStore> {
    const { storeRoot, incomingPath, openStore } = this.#parts;
    if (incomingPath === undefined) {
      throw new ServiceError('incoming_missing', `the collection '${this.name}' has no incoming area`);
    }
    return openStore(confineZone(storeRoot, incomingPath, label));
  }

  /** The directories below the incoming path; links count where they stay in the store. */
  async #labelsOnDisk(): Promise<string[]> {
    const { storeRoot, incomingPath } = this.#parts;
    if (incomingPath === undefined) return [];
    const entries = await readdir(incomingPath, { withFileTypes: true }).catch(() => []);
    return entries
      .filter(
        (entry) =>
          entry.isDirectory() || (entry.isSymbolicLink() && isZone(storeRoot, incomingPath, entry.name)),
      )
      .map(({ name }) => name)
      .filter((name) => labelProblem(name) === undefined);
  }

  async #close(): Promise<void> {
    const zones = await Promise.allSettled(this.#zones.values());
    for (const zone of zones) if (zone.status === 'fulfilled') await zone.value.close();
    for (const part of [this.curated, ...this.#parts.sources, ...this.audits]) await part.close();
  }
}

function classesWithEndpoints(schema: Schema, { use_classes, ignore_classes }: CollectionConfig): string[] {
  return schema.recordClasses.filter(
    (name) => (use_classes.length === 0 || use_classes.includes(name)) && !ignore_classes.includes(name),
  );
}

function isZone(storeRoot: string, incomingPath: string, label: string): boolean {
  try {
    return (
      statSync(confineZone(storeRoot, incomingPath, label), { throwIfNoEntry: false })?.isDirectory() === true
    );
  } catch (error) {
    if (error instanceof ServiceError) return false;
    throw error;
  }
}
