import { type Draft, readDraft } from './drafts.ts';
import type { JsonObject } from './json.ts';
import { identifierPrefix, newRecord } from './new-record.ts';
import { readRecord } from './records.ts';
import { type ClassDescription, readClass, readTitles } from './schema.ts';
import { may } from './session.ts';

export type Start = {
  description: ClassDescription;
  record: JsonObject;
  /** The record as it is stored; undefined for a new one. */
  stored: JsonObject | undefined;
  /** Entity tag of the curated record, for `based_on` and `If-Match`. */
  curatedTag: string | null;
  inZone: boolean;
  draft: Draft | undefined;
  prefix: string;
};

/** @returns null if there is no such record */
export async function begin(
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
      curatedTag: null,
      inZone: false,
      draft,
      record: draft?.record ?? (await newRecord(collection, description)),
      prefix: await identifierPrefix(collection, description),
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
    curatedTag,
    inZone,
    draft,
    record: draft?.record ?? found.record,
    prefix: '',
  };
}
