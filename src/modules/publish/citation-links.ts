/** The extension point of pages of records: modules that cite a record in formats of their own. */
import type { CollectionPart } from '../../core/collections/part.ts';

export type CitationLink = {
  /** The name of the format. */
  readonly title: string;
  /** Below `/-/{collection}/`. */
  readonly path: string;
};

/** A part of a collection that cites records. */
export interface CitationSource extends CollectionPart {
  /** The citations of a curated record, by its pid. */
  citations?(pid: string): readonly CitationLink[];
}

/** The citations of all modules. */
export function citationsOf(
  { attached }: { readonly attached: ReadonlyMap<string, CitationSource> },
  pid: string,
): CitationLink[] {
  return [...attached.values()].flatMap((part) => part.citations?.(pid) ?? []);
}
