/** The error codes of webhooks, with the statuses of responses. */
export const codes = { webhook_unknown: 404, delivery_unknown: 404 } as const;

type Codes = typeof codes;
declare module '../../core/errors.ts' {
  interface ModuleCodes extends Codes {}
}
