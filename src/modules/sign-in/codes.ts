/** The error codes of signing in, with the statuses of responses. */
export const codes = {
  sign_in_unknown: 404,
  sign_in_insecure: 400,
  sign_in_refused: 400,
  sign_in_unavailable: 503,
  session_required: 401,
  access_unknown: 404,
} as const;

type Codes = typeof codes;
declare module '../../core/errors.ts' {
  interface ModuleCodes extends Codes {}
}
