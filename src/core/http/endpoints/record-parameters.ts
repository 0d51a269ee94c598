/** The parameters of endpoints of records, which modules add to or take for their own. */
import type { RecordFilter, SubmissionMetadata } from '../../collections/area.ts';
import type { Collection } from '../../collections/collection.ts';
import { FORMATS, type FormatName } from '../../formats/formats.ts';
import { versionIn } from '../../records/condition.ts';
import type { Call } from '../endpoint.ts';
import type { ValuesOf } from '../parameter.ts';
import { at, authorId, choice, flag, paging, requiredText, shortText, textParameter } from '../query.ts';

export const format = choice<FormatName>(
  'The format of records.',
  Object.keys(FORMATS) as FormatName[],
  'json',
);
export const pid = requiredText('the pid of a record, a CURIE or a URI');
export const matching = textParameter(
  'A pattern that must match a whole string value of a record: `%` stands for any characters, `_` for any one. ' +
    'Backends other than `sqlite` ignore it; the response then has the header `Accession-Ignored: matching`.',
);
export const addSubmissionTag = flag(
  'Annotate the record with the submitter and the time of the submission.',
  false,
);
export const hints = flag(
  'Warn of references to records that do not exist, and of curated records with the same identifier.',
  false,
);
export const storeParameters = { format, add_submission_tag: addSubmissionTag, hints };
/** Parameters that describe a submission to the curators. */
export const submissionParameters = {
  batch: shortText('A name for submissions that belong together.', 100),
  message: shortText('A message to the curators; it is not part of the record.', 2000),
  based_on: textParameter(
    'The `ETag` of the curated record that the submission was made from. By default the one in `If-Match`.',
  ),
};
/** The parameters of a store in each kind of area. */
export const storeParametersIn = {
  user: { ...storeParameters, ...submissionParameters },
  curated: { format, author_id: authorId, hints },
  incoming: { format, ...submissionParameters, hints },
} as const;
/** Their values. */
export type StoreQuery = Pick<ValuesOf<typeof storeParameters>, 'format' | 'hints'> &
  Partial<ValuesOf<typeof storeParametersIn.user>>;

/** Returns the note of a submission, as its area stores it. */
export function submissionMetadataOf({
  batch,
  message,
  based_on,
}: Partial<ValuesOf<typeof submissionParameters>>): SubmissionMetadata {
  const basedOn = based_on === undefined ? undefined : (versionIn(based_on) ?? 'unresolved');
  return {
    ...(batch !== undefined && { batch }),
    ...(message !== undefined && { message }),
    ...(basedOn !== undefined && { basedOn }),
  };
}

export const recordParameters = { pid, format, at };
export const listParameters = { format, matching, at };
export const deleteParameters = {
  pid,
  if_unreferenced: flag(
    'Refuse the delete with 409 if other records of the area refer to the record.',
    false,
  ),
};
export const pageParameters = { ...listParameters, ...paging };

export function classIn({ request }: Call): string | undefined {
  return (request.params as { class?: string }).class;
}

/** The class in the path, and a pattern. */
export function filterOf(call: Call, matching: string | undefined): RecordFilter {
  return { className: classIn(call), matching };
}

/** The header by which a client learns that a list is not restricted to what it asked for. */
export function markIgnored(
  { reply }: Call,
  { honorsMatching }: Collection,
  matching: string | undefined,
): void {
  if (matching !== undefined && !honorsMatching) reply.header('accession-ignored', 'matching');
}
