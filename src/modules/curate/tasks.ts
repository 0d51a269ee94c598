/** The functions of curation that threads run. */
import { type RecordText, recordProblems } from '../../core/records/record.ts';
import { type OfRecord, type OfSchema, ofSchema } from '../../core/work/task.ts';
import { type MergedSides, mergeInto, renameRecord, retargetRecord } from './rewrite.ts';

type OfMoved = OfSchema & {
  readonly record: Pick<RecordText, 'iri' | 'className' | 'json'>;
  readonly to: string;
};

/** See {@link renameRecord}. */
export const renamedIn = ofSchema(({ schema, record, to }: OfMoved) => renameRecord(schema, record, to));

/** See {@link retargetRecord}. */
export const retargetedIn = ofSchema(({ schema, record, ...moved }: OfMoved & { readonly gone: string }) =>
  retargetRecord(schema, record, moved),
);

/** See {@link mergeInto}. */
export const mergedIn = ofSchema(({ schema, ...sides }: OfSchema & MergedSides) => mergeInto(schema, sides));

/** Why a schema refuses a stored record, in at most so many problems, as JSON. */
export const problemsOf = ofSchema(
  ({ schema, most, ...record }: OfRecord & { readonly pid: string; readonly most: number }) =>
    JSON.stringify(recordProblems(schema, record).slice(0, most)),
);
