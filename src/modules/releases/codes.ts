/** The error codes of releases, with the statuses of responses. */
export const codes = {
  release_unknown: 404,
  license_missing: 409,
  release_in_progress: 409,
  releases_too_many: 409,
  release_withdrawn: 410,
  range_unsatisfiable: 416,
} as const;

type Codes = typeof codes;
declare module '../../core/errors.ts' {
  interface ModuleCodes extends Codes {}
}
