/** The error codes of publishing, with the statuses of responses. */
export const codes = { not_acceptable: 406, record_deleted: 410 } as const;

type Codes = typeof codes;
declare module '../../core/errors.ts' {
  interface ModuleCodes extends Codes {}
}
