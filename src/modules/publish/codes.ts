/** The error codes of publishing, with the statuses of responses. */
export const codes = { record_deleted: 410 } as const;

type Codes = typeof codes;
declare module '../../core/errors.ts' {
  interface ModuleCodes extends Codes {}
}
