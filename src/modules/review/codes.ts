/** The error codes of review, with the statuses of responses. */
export const codes = {
  already_decided: 409,
  submission_changed: 409,
  selection_changed: 409,
  curated_changed: 409,
  zone_changed: 409,
  comments_full: 409,
  own_submission: 403,
} as const;

type Codes = typeof codes;
declare module '../../core/errors.ts' {
  interface ModuleCodes extends Codes {}
}
