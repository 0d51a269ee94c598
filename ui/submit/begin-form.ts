import { identifierPrefix, newRecord } from '../form/new-record.ts';
import { away, isAway } from '../shared/connection.ts';
import { type Draft, discardDraft, readDraft } from '../shared/drafts.ts';
import { isEqual, type JsonObject } from '../shared/json.ts';
import { readRecord } from '../shared/records.ts';
import { type ClassDescription, readClass, readTitles } from '../shared/schema.ts';
import { asClientError } from '../shared/service.ts';
import { may } from '../shared/session.ts';

export type Start = {
  description: ClassDescription;
  record: JsonObject;
  /** The record as it is stored; undefined for a new one. */
  stored: JsonObject | undefined;
  /** Entity tag of the stored record as the token reads it. */
  tag: string | null;
  /** Entity tag of the curated record, for `based_on` and `If-Match`. */
  curatedTag: string | null;
  inZone: boolean;
  draft: Draft | undefined;
  prefix: string;
  /** The service is away: the form begins with what this device knows, and again when it is back. */
  alone?: boolean;
};

/** What a form begins with, before its draft is read. */
type Beginning = Omit<Start, 'draft'>;

/**
 * Reads what a form begins with.
 *
 * @param keepInput keeps the input of the form that is shown, if this is another beginning of it. It is called last: what is
 *   typed while the service is asked belongs to the draft, too.
 * @returns null if the record does not exist
 */
export async function begin(
  collection: string,
  href: string,
  className: string | undefined,
  pid: string | undefined,
  keepInput: () => void,
  signal: AbortSignal,
): Promise<Start | null> {
  const read = await beginWithService(collection, className, pid, signal)
    .catch((error) => beginAlone(collection, href, error))
    .finally(keepInput);
  const draft = readDraft(href);
  if (!read || !draft) return read && { ...read, draft };
  // Stored, but the page was left before the service had answered.
  if (!read.alone && isEqual(draft.record, read.stored)) {
    discardDraft(href);
    return { ...read, draft: undefined };
  }
  return { ...read, draft, record: draft.record };
}

/** @param error why the service does not answer; it is thrown again if there is nothing to begin with */
async function beginAlone(collection: string, href: string, error: unknown): Promise<Beginning> {
  const draft = readDraft(href);
  if (!draft || !isAway(asClientError(error).status)) throw error;
  return {
    description: await readClass(collection, draft.className),
    stored: draft.base,
    tag: draft.etag,
    curatedTag: null,
    inZone: false,
    record: draft.record,
    prefix: '',
    alone: true,
  };
}

async function beginWithService(
  collection: string,
  className: string | undefined,
  pid: string | undefined,
  signal: AbortSignal,
): Promise<Beginning | null> {
  if (pid === undefined) {
    const description = await readClass(collection, className!);
    return {
      description,
      stored: undefined,
      tag: null,
      curatedTag: null,
      inZone: false,
      record: await newRecord(collection, description),
      prefix: await identifierPrefix(collection, description),
      alone: away.peek() !== undefined,
    };
  }
  const [found, titles] = await Promise.all([
    readRecord(collection, pid, { signal }),
    readTitles(collection, [pid]),
  ]);
  const title = titles.get(pid);
  if (!found || !title) return null;
  const isCurator = may(collection, 'curate');
  const inZone = title.in === 'zone';
  const curated =
    isCurator && inZone ? await readRecord(collection, pid, { curated: true, signal }) : undefined;
  const curatedTag = inZone ? (curated?.etag ?? null) : found.etag;
  const description = await readClass(collection, title.class);
  return {
    description,
    stored: found.record,
    tag: found.etag,
    curatedTag,
    inZone,
    record: found.record,
    prefix: '',
  };
}
