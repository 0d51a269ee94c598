import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { JsonObject, JsonText } from '#linkml/json.ts';
import { NO_NAMES } from '../../core/access/user-names.ts';
import type { SubmissionMetadata } from '../../core/collections/area.ts';
import { checkRecord, recordText } from '../../core/records/record.ts';
import { openSchema, type Schema } from '../../core/schema/schema.ts';
import type { Database } from '../../core/storage/database.ts';
import { openPostgresqlDatabase } from '../../core/storage/postgresql/postgresql.ts';
import { openSqliteDatabase } from '../../core/storage/sqlite/sqlite.ts';
import type { Actor, Expectation, RecordStore } from '../../core/storage/store.ts';
import type { ReviewParts } from './parts.ts';
import { Review } from './review.ts';
import { reviewCompanions } from './submissions/companions.ts';
import { recordWork } from './submissions/thread-work.ts';
import { tables } from './tables.ts';

export const TAGS = { submitterId: 'sub:by', submissionTime: 'sub:at' };
export const REVIEWER = { userId: 'cora' };
export const reviewSchema = await openSchema(
  join(import.meta.dirname, '../../../test/support/values.schema.yaml'),
);

export type World = {
  readonly schema: Schema;
  readonly parts: ReviewParts;
  readonly database: Database;
  readonly curated: RecordStore;
  review: Review;
  zone(label: string): Promise<RecordStore>;
  /** Stores a record of the class that it names, or a Person, as a submitter does. */
  submit(label: string, record: JsonObject, options?: SubmitOptions): Promise<void>;
  withdraw(label: string, pid: string): Promise<void>;
  /** Writes as a curator does, past the review. */
  curate(record: JsonObject): Promise<void>;
  /** Closes everything and opens it again. */
  restart(options?: Partial<WorldOptions>): Promise<void>;
  close(): Promise<void>;
};

type SubmitOptions = SubmissionMetadata & { readonly user?: string; readonly expect?: Expectation };

type WorldOptions = {
  /** The directory of the database file. */
  readonly root?: string;
  /** A database of PostgreSQL instead. */
  readonly url?: string;
  readonly now?: () => Date;
  readonly labels?: readonly string[];
  readonly tags?: ReviewParts['tags'];
  /** Wraps the transactions of the review. */
  around?<T>(transact: () => Promise<T>): Promise<T>;
};

/** Opens a world that lives as long as a test. */
export async function testWorld(t: Pick<TestContext, 'after'>, options: WorldOptions = {}): Promise<World> {
  const root = options.root ?? mkdtempSync(join(tmpdir(), 'accession-review-'));
  const world = await openWorld({ ...options, root });
  t.after(async () => {
    await world.close();
    if (options.root === undefined) rmSync(root, { recursive: true, force: true });
  });
  return world;
}

export async function openWorld(options: WorldOptions & { readonly root: string }): Promise<World> {
  const schema = reviewSchema;
  let opened = await open(options);
  const textOf = (record: JsonObject) => {
    const className = schema.classOfSchemaType(String(record.schema_type)) ?? 'Person';
    return recordText(schema, checkRecord(schema, className, record));
  };
  const zone = (label: string) => opened.parts.database.area(pathOf(label));
  const actor = (userId: string, role: Actor['role']): Actor => ({ committer: userId, author: userId, role });
  return {
    schema,
    get parts() {
      return opened.parts;
    },
    get database() {
      return opened.parts.database;
    },
    get curated() {
      return opened.parts.curated;
    },
    get review() {
      return opened.review;
    },
    set review(review) {
      opened.review = review;
    },
    zone,
    async submit(label, record, { user = label, basedOn, expect, ...note } = {}) {
      const change = {
        put: textOf(record),
        note,
        ...(expect && { expect }),
        ...(basedOn && { context: { basedOn } }),
      };
      await (await zone(label)).write([change], actor(user, 'submitter'));
    },
    async withdraw(label, pid) {
      await (await zone(label)).write([{ delete: schema.expand(pid)! }], actor(label, 'submitter'));
    },
    async curate(record) {
      await opened.parts.curated.write([{ put: textOf(record) }], actor('carl', 'curator'));
    },
    async restart(changed = {}) {
      await opened.close();
      opened = await open({ ...options, ...changed });
    },
    close: () => opened.close(),
  };
}

const pathOf = (label: string) => `incoming/${label}`;

async function open(options: WorldOptions) {
  const { root = '', url, now, labels = ['ann', 'bob'], tags = TAGS, around } = options;
  const opened = url
    ? await openPostgresqlDatabase(url, { tables: { review: tables } })
    : await openSqliteDatabase(join(root, 'accession.db'), { tables: { review: tables } });
  const transact: Database['transact'] = (prepare) => around!(() => opened.transact(prepare));
  const database: Database = around ? { ...opened, transact } : opened;
  const parts: ReviewParts = {
    collection: 'test',
    schema: reviewSchema,
    tags,
    database,
    transact: database.transact,
    incoming: 'incoming',
    curated: await database.area('curated'),
    zones: {
      labels: async () => labels,
      async written() {
        const stores = await Promise.all(labels.map((label) => database.existingArea(pathOf(label))));
        return stores.flatMap((store, at) => (store ? [{ label: labels[at]!, area: store.area.id }] : []));
      },
      has: (label) => labels.includes(label),
      first: (label) => label,
      async existing(label) {
        const store = await database.existingArea(pathOf(label));
        return store && { store, isCurated: false };
      },
    },
    curatedScope: 'curated',
    etagOf: (label, revision) => `"${label || 'curated'}.${revision.toString(36)}.json"`,
    matching: true,
    showReviewer: false,
    curators: async (among) => among ?? [REVIEWER.userId],
    names: NO_NAMES,
    settings: async () => ({}),
    work: recordWork({ schema: reviewSchema, tags }),
    log: { warn: () => {} },
    ...(now && { now }),
  };
  const companions = reviewCompanions(parts);
  const zones = new Map(labels.map((label) => [pathOf(label), [companions.zone(label)]]));
  database.use({
    companions: (path) => (path === 'curated' ? [companions.curated] : (zones.get(path) ?? [])),
    mirror: () => undefined,
  });
  const review = new Review(parts);
  return {
    parts,
    review,
    async close() {
      await this.review.close();
      await database.close();
    },
  };
}

/** A record or a list that an answer has as JSON. */
// biome-ignore lint/suspicious/noExplicitAny: of any form
export const parsed = ({ text }: JsonText): any => JSON.parse(text);
