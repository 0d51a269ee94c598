/** What every view below a collection is given. */
export type ViewProps = { readonly collection: string };
