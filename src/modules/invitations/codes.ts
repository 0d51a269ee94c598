/** The error codes of invitations, with the statuses of responses. */
export const codes = { invitation_refused: 401, invitation_unknown: 404 } as const;

type Codes = typeof codes;
declare module '../../core/errors.ts' {
  interface ModuleCodes extends Codes {}
}
