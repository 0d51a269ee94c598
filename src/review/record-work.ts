/**
 * What reviews do with the records of a submission: compare, merge, follow references. Each function takes and returns plain
 * data, so that it can run in a thread if the records are long.
 */
import { canonicalJson, type JsonObject } from '../json.ts';
import { claimDifferences, type ListedDifferences, listDifferences } from '../records/difference.ts';
import { linksOf } from '../records/links.ts';
import { mergeRecords } from '../records/merge.ts';
import { definedRecord } from '../records/record.ts';
import { asDefined } from '../schema-type.ts';
import { type LinkLines, linkLines } from '../storage/store.ts';
import { acceptedRecord } from './accept-result.ts';
import {
  type BaseContent,
  type Claims,
  claimOfContent,
  compare,
  type ReadContent,
  recordOf,
  type SubmittedContent,
} from './assess.ts';
import type { Content } from './types.ts';

/** What differs between two records. @param base the record that both are compared with */
function changes(
  claims: Claims,
  { base, from, to }: { readonly base: Content; readonly from: Content; readonly to: Content },
): ListedDifferences {
  const read = (content: Content) => claimOfContent(claims, content);
  return listDifferences(claimDifferences({ base: read(base), curated: read(from), submitted: read(to) }));
}

export type Proposed = {
  readonly submitted: Content;
  readonly curated: Content | undefined;
  readonly base: BaseContent;
};

/** What a curator is shown of a submission. Records and problems are JSON. */
function shown(claims: Claims, { submitted, curated, base }: Proposed) {
  const { schema } = claims;
  const { className } = submitted;
  const compared = compare(claims, claimOfContent(claims, submitted), curated, base);
  const merge = mergeRecords(schema, compared);
  const merged = merge.kind === 'merged' ? merge.result : null;
  const judged = merged ?? { className, record: recordOf(submitted) };
  const checked = schema.check(judged.className, asDefined(schema, judged.className, judged.record));
  return {
    listed: listDifferences(claimDifferences(compared)),
    merged: merged ? canonicalJson(merged.record) : 'null',
    problems: JSON.stringify(checked.valid ? [] : checked.problems),
  };
}

/** The pid of a record, and what it refers to. */
function identified(
  { schema }: Claims,
  content: Content,
): { readonly pid: string | undefined; readonly links: LinkLines } {
  const record: JsonObject = definedRecord(schema, content);
  return {
    pid: typeof record.pid === 'string' ? record.pid : undefined,
    links: linkLines(linksOf(schema, content.className, record)),
  };
}

/** The functions by name. */
export const RECORD_WORK = { changes, shown, accepted: acceptedRecord, identified } as const;

type Functions = typeof RECORD_WORK;

/** The same functions for the records of a collection, here or in a thread. */
export type RecordWork = {
  readonly [Name in keyof Functions]: (
    input: Parameters<Functions[Name]>[1],
  ) => Promise<ReturnType<Functions[Name]>>;
} & {
  /** Reads a record that is submitted. */
  read(content: SubmittedContent): ReadContent | Promise<ReadContent>;
};
