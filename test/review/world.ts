/** A review over real stores, without HTTP: a curated area and two zones in a directory of their own. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { JsonObject } from '../../src/json.ts';
import { checkRecord, recordText } from '../../src/records/record.ts';
import { type Said, submissionChanges } from '../../src/review/base.ts';
import type { ReviewParts } from '../../src/review/parts.ts';
import { Review } from '../../src/review/review.ts';
import { openSchema, type Schema } from '../../src/schema/schema.ts';
import { type BackendType, openStore } from '../../src/storage/backends.ts';
import { SILENT_LOG } from '../../src/storage/log.ts';
import { openPostgresql } from '../../src/storage/postgresql/database.ts';
import { postgresqlStores } from '../../src/storage/postgresql/stores.ts';
import type { Actor, RecordStore } from '../../src/storage/store.ts';

export const TAGS = { submitterId: 'sub:by', submissionTime: 'sub:at' };
export const REVIEWER = { userId: 'cora' };
export const reviewSchema = await openSchema(join(import.meta.dirname, 'schema.yaml'));

export type World = {
  readonly schema: Schema;
  readonly parts: ReviewParts;
  /** The directory of all areas. */
  readonly root: string;
  readonly curated: RecordStore;
  review: Review;
  zone(label: string): Promise<RecordStore>;
  /** Stores a record of the class that it names, or a Person, as a submitter does. */
  submit(label: string, record: JsonObject, options?: Said & { user?: string }): Promise<void>;
  withdraw(label: string, pid: string): Promise<void>;
  /** Writes as a curator does, past the review. */
  curate(record: JsonObject): Promise<void>;
  /** Closes everything and opens it again. */
  restart(): Promise<void>;
  close(): Promise<void>;
};

export type WorldOptions = {
  readonly backend?: BackendType;
  readonly zoneBackend?: BackendType;
  readonly indexFile?: string;
  readonly root?: string;
  /** The database of areas that are in PostgreSQL; they are named below the directory of the root. */
  readonly database?: string;
  readonly now?: () => Date;
  readonly labels?: readonly string[];
  /** Wraps the store of an area, whose label is empty for the curated one. */
  wrap?(label: string, store: RecordStore): RecordStore;
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
  const { root, backend = 'sqlite', zoneBackend = backend, labels = ['ann', 'bob'] } = options;
  const schema = reviewSchema;
  const naming = {
    expand: (pid: string) => schema.expand(pid),
    schemaTypeOf: (name: string) => (schema.classes.has(name) ? schema.schemaType(name) : undefined),
  };
  const { database: url } = options;
  const database = url === undefined ? undefined : await openPostgresql(url, { log: SILENT_LOG });
  const postgresql = database && postgresqlStores(database, dirname(root));
  const open = async (label: string): Promise<RecordStore> => {
    const directory = join(root, label === '' ? 'curated' : `incoming-${label}`);
    mkdirSync(directory, { recursive: true });
    const type = label === '' ? backend : zoneBackend;
    const config = type.startsWith('record_dir') ? { type, mapping_method: 'digest-md5' } : { type };
    const store = await openStore(config as never, directory, { ...naming, postgresql });
    return options.wrap ? options.wrap(label, store) : store;
  };

  let curated: RecordStore;
  let zones: Map<string, Promise<RecordStore>>;
  let world: { parts: ReviewParts; review: Review };
  const zone = (label: string): Promise<RecordStore> => {
    let store = zones.get(label);
    if (!store) {
      store = open(label);
      zones.set(label, store);
    }
    return store;
  };
  const etagOf = (label: string, revision: number) => `"${label || 'curated'}.${revision.toString(36)}.json"`;
  async function start() {
    curated = await open('');
    zones = new Map();
    const parts: ReviewParts = {
      collection: 'test',
      schema,
      tags: TAGS,
      curated,
      zones: {
        labels: async () => labels,
        open: async (label) => ({ store: await zone(label), key: label, isCurated: false }),
        follow: async (label) => ({ store: await zone(label), key: label, isCurated: false }),
        used: () => labels,
      },
      indexFile: options.indexFile ?? ':memory:',
      etagOf,
      matching: backend.startsWith('sqlite'),
      showReviewer: false,
      log: { warn: () => {} },
      ...(options.now && { now: options.now }),
    };
    world = { parts, review: new Review(parts) };
  }
  async function stop() {
    await world.review.close();
    for (const store of zones.values()) await (await store).close();
    await curated.close();
  }
  const textOf = (record: JsonObject) => {
    const className = schema.classOfSchemaType(String(record.schema_type)) ?? 'Person';
    return recordText(schema, checkRecord(schema, className, record));
  };
  const actor = (userId: string, role: Actor['role']): Actor => ({ committer: userId, author: userId, role });
  await start();
  return {
    schema,
    root,
    get parts() {
      return world.parts;
    },
    get curated() {
      return curated;
    },
    get review() {
      return world.review;
    },
    set review(review) {
      world.review = review;
    },
    zone,
    async submit(label, record, { user = label, ...said } = {}) {
      const store = await zone(label);
      const context = {
        ...{ schema, tags: TAGS, zone: store, curated, curatedPlace: 'curated' },
        etagOf: (revision: number) => etagOf('', revision),
      };
      await store.write(
        await submissionChanges(context, [textOf(record)], said, 'submitter'),
        actor(user, 'submitter'),
      );
    },
    async withdraw(label, pid) {
      await (await zone(label)).write([{ delete: schema.expand(pid)! }], actor(label, 'submitter'));
    },
    async curate(record) {
      await curated.write([{ put: textOf(record) }], actor('carl', 'curator'));
    },
    async restart() {
      await stop();
      await start();
    },
    async close() {
      await stop();
      await database?.close();
    },
  };
}
