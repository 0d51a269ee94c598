/** The error codes of schema changes, with the statuses of responses. */
export const codes = { rehearsal_unknown: 404, switch_unknown: 404, schema_breaks_records: 409 } as const;

type Codes = typeof codes;
declare module '../../core/errors.ts' {
  interface ModuleCodes extends Codes {}
}
