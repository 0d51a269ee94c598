/**
 * The options of expansions for clients: the types of `get`, `records`, `page` and `exportLines`.
 *
 * ```ts
 * import type {} from 'accession/client/expand';
 *
 * await laboratory.get('labid:person-ada-abe', { expand: 'affiliations' });
 * ```
 */
declare module '../../client/types.ts' {
  interface ReadParameters {
    /** With what they refer to, in place of the references: `authors.affiliations,part_of+,^generated_by(Publication)`. */
    readonly expand?: string | undefined;
    /** These slots only, separated by commas. */
    readonly fields?: string | undefined;
    /** Where included records are: `inline` in place of references, or in a `graph`. */
    readonly shape?: 'inline' | 'graph' | undefined;
  }
}

export {};
