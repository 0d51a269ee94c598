/** The error codes of renames and merges, with the statuses of responses. */
export const codes = { move_unknown: 404, pid_taken: 409 } as const;

type Codes = typeof codes;
declare module '../../core/errors.ts' {
  interface ModuleCodes extends Codes {}
}
