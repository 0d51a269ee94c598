/** The error codes of shared links, with the statuses of responses. */
export const codes = { shared_link_unknown: 404, shared_links_unused: 409 } as const;

type Codes = typeof codes;
declare module '../../core/errors.ts' {
  interface ModuleCodes extends Codes {}
}
