/** Compares a submission with the curated record and its base: its state, its differences, its title. */
import { isJsonObject, type JsonObject, parseJson } from '#linkml/json.ts';
import type { SubmissionTags } from '../../../core/records/annotate.ts';
import { titleOf } from '../../../core/records/title.ts';
import type { Schema } from '../../../core/schema/schema.ts';
import { asDefined } from '../../../core/schema-type.ts';
import { type Claim, claimOf } from '../../claims/claim.ts';
import { type ClaimDifference, claimDifferences, slotsThatDiffer } from '../../claims/differences.ts';
import type { BaseContent, Content } from '../decisions/content.ts';
import type { State } from '../states.ts';
import type { Submission } from './submission.ts';

/** The three records of a submission, read. */
type Compared = {
  readonly submitted: Claim;
  readonly curated: Claim | null;
  readonly base: Claim | null | undefined;
};

type Assessment = Pick<
  Submission,
  'digest' | 'state' | 'valid' | 'title' | 'differences' | 'conflicts' | 'slots'
>;

/** The input of reading claims. */
export type Claims = { readonly schema: Schema; readonly tags: SubmissionTags };

/** Slots that differ and are named in the queue. */
const SLOTS_NAMED = 5;

/** The record of a stored text. */
export function recordOf({ json }: Content): JsonObject {
  const value = parseJson(json);
  return isJsonObject(value) ? value : {};
}

/** A record as it is compared. Of a long one, the rest is found in a thread. */
export type ReadContent = {
  readonly className: string;
  /** The digest of its claim. */
  readonly digest: string;
  assess(curated: Content | undefined, base: BaseContent): Assessment | Promise<Assessment>;
};

export type SubmittedContent = Content & {
  /** Whether the schema is known to find no problem in the record. */
  readonly isChecked?: boolean | undefined;
};

/** Reads a stored record. */
export function readContent(claims: Claims, { isChecked, ...content }: SubmittedContent): ReadContent {
  const { className } = content;
  const record = recordOf(content);
  const claim = claimOf(claims.schema, { className, record }, claims.tags);
  return {
    className,
    digest: claim.digest,
    assess: (curated, base) => assess(claims, { className, record, claim, isChecked }, curated, base),
  };
}

export function claimOfContent({ schema, tags }: Claims, content: Content): Claim {
  return claimOf(schema, { className: content.className, record: recordOf(content) }, tags);
}

/** The claims of a submission, its curated record and its base. */
export function compare(
  claims: Claims,
  submitted: Claim,
  curated: Content | undefined,
  base: BaseContent,
): Compared {
  const read = (content: Content) => claimOfContent(claims, content);
  const stored = curated ? read(curated) : null;
  // Mostly, nothing has happened to the curated record since.
  const isUnchanged = base && base.json === curated?.json && base.className === curated.className;
  return { submitted, curated: stored, base: isUnchanged ? stored : base && read(base) };
}

/** The state of a submission; the first that applies. */
function stateOf({ submitted, curated, base }: Compared): State {
  if (curated?.digest === submitted.digest) return 'same';
  if (!curated && !base) return 'new';
  if (base !== undefined && curated?.digest === base?.digest) return 'changed';
  return 'diverged';
}

type ReadSubmitted = Pick<SubmittedContent, 'className' | 'isChecked'> & {
  readonly record: JsonObject;
  readonly claim: Claim;
};

/** All that the queue shows of a submission and that is not written anywhere, as columns of its row. */
function assess(
  claims: Claims,
  { className, record, claim, isChecked }: ReadSubmitted,
  curated: Content | undefined,
  base: BaseContent,
): Assessment {
  const { schema } = claims;
  const compared = compare(claims, claim, curated, base);
  const found: ClaimDifference[] = claimDifferences(compared);
  const isValid = isChecked || schema.check(className, asDefined(schema, className, record)).valid;
  return {
    digest: claim.digest,
    state: stateOf(compared),
    valid: isValid ? 1 : 0,
    title: titleOf(schema, className, record),
    differences: found.length,
    conflicts: found.filter(({ conflict }) => conflict).length,
    slots: JSON.stringify(slotsThatDiffer(found).slice(0, SLOTS_NAMED)),
  };
}
