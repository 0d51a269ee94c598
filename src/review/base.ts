/** What a submission was made from: kept in the entry of its store, so that it can be compared and merged later. */
import { slices } from '../jobs/turns.ts';
import type { SubmissionTags } from '../records/annotate.ts';
import type { Version } from '../records/condition.ts';
import type { RecordText } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import type { Base, Change, ChangeNote, Entry, RecordStore, StoredRecord } from '../storage/store.ts';
import { claimOfContent } from './assess.ts';

/** What the client says of a store. */
export type Said = {
  readonly batch?: string;
  readonly message?: string;
  /** The state of the curated record that the client started from, as the `ETag` of that names it. */
  readonly basedOn?: Version | 'unresolved';
};

export type SubmissionContext = {
  readonly schema: Schema;
  readonly tags: SubmissionTags;
  readonly zone: RecordStore;
  readonly curated: RecordStore;
  /** What entity tags of the curated area name. */
  readonly curatedPlace: string;
  etagOf(revision: number): string;
};

/** Entries of one record that are looked through for the base of the submission that is replaced. */
const LOOK_BACK = 50;

/**
 * The changes that store records in a zone; `basedOn` is about the first.
 *
 * @param role what a curator edits in a zone stays the submission that it was, with its base
 */
export async function submissionChanges(
  context: SubmissionContext,
  records: readonly RecordText[],
  { batch, message, basedOn }: Said,
  role: 'submitter' | 'curator',
): Promise<Change[]> {
  const said: ChangeNote = {
    ...(batch !== undefined && { batch }),
    ...(message !== undefined && { message }),
  };
  const changes: Change[] = [];
  const breathe = slices();
  for (const [at, record] of records.entries()) {
    await breathe();
    const base = await findBase(context, record, at === 0 ? basedOn : undefined, role);
    changes.push({ put: record, note: { ...said, ...(base && { base }) } });
  }
  return changes;
}

/** The first that applies: the named state, the base of what is replaced, the curated record now. */
async function findBase(
  context: SubmissionContext,
  record: RecordText,
  basedOn: Said['basedOn'],
  role: 'submitter' | 'curator',
): Promise<Base | undefined> {
  const replaced = await context.zone.get(record.iri);
  const isNamed = basedOn !== undefined && !(replaced && isSameClaim(context, replaced, record));
  if (isNamed) return basedOn === 'unresolved' ? undefined : namedBase(context, record.iri, basedOn);
  if (replaced && role === 'curator') return undefined;
  if (replaced) return baseOfReplaced(context.zone, record.iri);
  return toBase(context, await context.curated.get(record.iri));
}

function isSameClaim({ schema, tags }: SubmissionContext, a: StoredRecord, b: RecordText): boolean {
  return claimOfContent(schema, tags, a).digest === claimOfContent(schema, tags, b).digest;
}

function toBase({ etagOf }: SubmissionContext, record: StoredRecord | undefined): Base {
  if (!record) return { etag: null, className: null, json: null };
  return { etag: etagOf(record.revision), className: record.className, json: record.json };
}

/** A former state of the curated record; unknown if its entry is gone, or is about another record. */
async function namedBase(
  { curated, curatedPlace, etagOf }: SubmissionContext,
  iri: string,
  { place, revision }: Version,
): Promise<Base | undefined> {
  if (place !== curatedPlace) return undefined;
  const [entry] = await curated.entries({ iris: [iri], after: revision - 1, before: revision + 1, limit: 1 });
  if (!entry || entry.json === null) return undefined;
  return { etag: etagOf(revision), className: entry.className, json: entry.json };
}

/** Edits of curators leave a submission what it was; what another program stored has an unknown base. */
async function baseOfReplaced(zone: RecordStore, iri: string): Promise<Base | undefined> {
  const entries = await zone.entries({ iris: [iri], newestFirst: true, limit: LOOK_BACK });
  return entries.find((entry) => !isEdit(entry))?.base;
}

function isEdit({ kind, role, base }: Entry): boolean {
  return kind === 'put' && role !== 'submitter' && role !== null && base === undefined;
}
