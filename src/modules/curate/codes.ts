/** The error codes of renames and merges, with the statuses of responses. */
export const codes = { move_unknown: 404, pid_taken: 409 } as const;

type Codes = typeof codes;
declare module '../../errors.ts' {
  interface ModuleCodes extends Codes {}
}
