/** The error codes of vocabularies, with the statuses of responses. */
export const codes = { vocabulary_unknown: 404 } as const;

type Codes = typeof codes;
declare module '../../core/errors.ts' {
  interface ModuleCodes extends Codes {}
}
