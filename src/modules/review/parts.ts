/** The parts of the review of a collection. The room knows no HTTP, no token and no directory. */
import { hash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '#linkml/json.ts';
import type { UserNames } from '../../core/access/user-names.ts';
import type { SubmissionTags } from '../../core/records/annotate.ts';
import type { Schema } from '../../core/schema/schema.ts';
import type { Database } from '../../core/storage/database.ts';
import type { Reads } from '../../core/storage/read/records.ts';
import type { Reader } from '../../core/storage/reader.ts';
import type { RecordStore } from '../../core/storage/store.ts';
import type { ReviewSettings } from './settings-schema.ts';
import type { RecordWork } from './submissions/record-work.ts';

type ReviewZone = {
  readonly store: RecordStore;
  /** A zone that is the curated area itself has no submissions. */
  readonly isCurated: boolean;
};

type ReviewZones = {
  /** All labels, sorted by code point. */
  labels(): Promise<readonly string[]>;
  /** The areas of all zones that were ever written to, each under the label that it is listed under. */
  written(): Promise<readonly { readonly label: string; readonly area: number }[]>;
  has(label: string): boolean | Promise<boolean>;
  /** The label under which a zone is listed: the first of those that name its area. */
  first(label: string): string;
  /** The zone of a label, if it was ever written to. */
  existing(label: string): Promise<ReviewZone | undefined>;
};

type ReviewLog = { warn(details: object, message: string): void };

export type ReviewParts = {
  readonly collection: string;
  readonly schema: Schema;
  readonly tags: SubmissionTags;
  readonly database: Database;
  /** For decisions: refuses what was read with a schema that the collection has replaced. */
  readonly transact: Database['transact'];
  readonly curated: RecordStore;
  /** The path of the zones. A collection with other areas has another queue. */
  readonly incoming: string;
  readonly zones: ReviewZones;
  /** The scope that entity tags of curated records name. */
  readonly curatedScope: string;
  /** The entity tag of a record; the empty label is the curated area. */
  etagOf(label: string, revision: number): string;
  /** Whether the backend honors `matching`. */
  readonly matching: boolean;
  /** Whether submitters are shown who decided (`review: {show_reviewer: true}`). */
  readonly showReviewer: boolean;
  readonly log: ReviewLog;
  /** Work with records, which takes long if they are. */
  readonly work: RecordWork;
  /** The users who curate the collection now: those of some ids, or all that are known. */
  curators(among?: readonly string[]): Promise<readonly string[]>;
  readonly names: UserNames;
  /** The settings of the collection, as a transaction or a request reads them. */
  settings(reader: Pick<Reader, 'tuples'>): Promise<ReviewSettings>;
  /** The time, for tests. */
  now?(): Date;
};

/** What the rows of a collection are made with. */
export type ReviewContext = {
  readonly parts: ReviewParts;
  /** Digests of one version are comparable: that of the schema and the submission tags. */
  readonly version: string;
  /** The number of the queue, which is made if it is missing. A process that only reads gets 0 then. */
  queue(): Promise<number>;
  /** The number of the queue; 0, which has no rows, if it is missing. */
  existingQueue(): Promise<number>;
  now(): Date;
  /** The present time in microseconds since 1970. */
  time(): number;
};

/** A user of the curators' endpoints. */
export type Reviewer = { readonly userId: string };

export function contextOf(parts: ReviewParts): ReviewContext {
  const { schema, tags, database, collection, curated, incoming } = parts;
  const made = `${schema.digest} ${canonicalJson(tags as unknown as JsonValue)}`;
  const values = [collection, curated.area.id, incoming];
  const now = () => parts.now?.() ?? new Date();
  let known = 0;
  return {
    parts,
    version: hash('sha256', made, 'base64url').slice(0, 16),
    now,
    time: () => now().getTime() * 1000,
    existingQueue: async () => (known ||= await find()),
    async queue() {
      known ||= await find();
      if (known > 0 || database.readOnly) return known;
      await database.transact(async (draft) => draft.run(NEW_QUEUE, values));
      known = await find();
      return known;
    },
  };

  async function find(): Promise<number> {
    const [row] = await database.tuples<[number]>(
      'SELECT queue FROM accession_queue WHERE collection = $1 AND curated = $2 AND incoming = $3',
      values,
    );
    return row?.[0] ?? 0;
  }
}

const NEW_QUEUE = `INSERT INTO accession_queue (collection, curated, incoming) VALUES ($1, $2, $3)
  ON CONFLICT (collection, curated, incoming) DO NOTHING`;
/** The cursor of a zone whose rows are complete. */
export function cursorOf(
  { version }: Pick<ReviewContext, 'version'>,
  queue: number,
  { label }: { readonly label: string },
): { readonly name: string; readonly version: string } {
  return { name: cursorName(queue), version: `${version} ${label}` };
}

/** The name of the cursors of a queue. */
export const cursorName = (queue: number) => `review ${queue}`;

/** A read of the rows of a queue. */
export type QueueReading = {
  readonly reader: Reads;
  readonly context: ReviewContext;
  readonly queue: number;
};
