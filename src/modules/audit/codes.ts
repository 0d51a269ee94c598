/** The error codes of audit logs, with the statuses of responses. */
export const codes = { audit_failed: 500 } as const;

type Codes = typeof codes;
declare module '../../core/errors.ts' {
  interface ModuleCodes extends Codes {}
}
