import { identifierPrefix, newRecord } from '../form/new-record.ts';
import { away, isAway } from '../shared/connection.ts';
import { type Draft, readDraft } from '../shared/drafts.ts';
import type { JsonObject } from '../shared/json.ts';
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

/** @returns null if the record does not exist */
export async function begin(
  collection: string,
  href: string,
  className: string | undefined,
  pid: string | undefined,
  signal: AbortSignal,
): Promise<Start | null> {
  try {
    return await beginWithService(collection, href, className, pid, signal);
  } catch (error) {
    const draft = readDraft(href);
    if (!draft || !isAway(asClientError(error).status)) throw error;
    return {
      description: await readClass(collection, draft.className),
      stored: draft.base,
      tag: draft.etag,
      curatedTag: null,
      inZone: false,
      draft,
      record: draft.record,
      prefix: '',
      alone: true,
    };
  }
}

async function beginWithService(
  collection: string,
  href: string,
  className: string | undefined,
  pid: string | undefined,
  signal: AbortSignal,
): Promise<Start | null> {
  const draft = readDraft(href);
  if (pid === undefined) {
    const description = await readClass(collection, className!);
    return {
      description,
      stored: undefined,
      tag: null,
      curatedTag: null,
      inZone: false,
      draft,
      record: draft?.record ?? (await newRecord(collection, description)),
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
    draft,
    record: draft?.record ?? found.record,
    prefix: '',
  };
}
