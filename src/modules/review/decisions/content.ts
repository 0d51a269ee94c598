/** The content of a record, without its place. */
export type Content = { readonly className: string; readonly json: string };

/** A record without the rest of what holds it: this is copied to threads, and kept. */
export function contentOf({ className, json }: Content): Content {
  return { className, json };
}

/** A base is a record, none (`null`), or not known (undefined). */
export type BaseContent = Content | null | undefined;
