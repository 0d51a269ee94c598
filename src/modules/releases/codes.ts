/** The error codes of releases, with the statuses of responses. */
export const codes = { release_unknown: 404, license_missing: 409 } as const;

type Codes = typeof codes;
declare module '../../core/errors.ts' {
  interface ModuleCodes extends Codes {}
}
