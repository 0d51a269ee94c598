/** The error codes of saved views, with the statuses of responses. */
export const codes = { view_unknown: 404 } as const;

type Codes = typeof codes;
declare module '../../core/errors.ts' {
  interface ModuleCodes extends Codes {}
}
