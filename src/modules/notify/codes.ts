/** The error codes of the inbox, with the statuses of responses. */
export const codes = {
  mail_refused: 409,
  mail_unavailable: 502,
  inbox_link_unknown: 404,
  followed_too_many: 409,
} as const;

type Codes = typeof codes;
declare module '../../core/errors.ts' {
  interface ModuleCodes extends Codes {}
}
