/** The extension point of publishing: modules that have datasets of a collection beside its present records. */
import type { Grant } from '../../core/access/grant.ts';
import type { CollectionPart } from '../../core/collections/part.ts';

/** A former state of the records. */
export type Dataset = {
  /** The last part of its identifier. */
  readonly id: string;
  /** The name of the version. */
  readonly version: string;
  readonly description: string | null;
  /** When it was issued, ISO 8601. */
  readonly time: string;
  /** The URL of its license. */
  readonly license: string;
  readonly files: readonly DatasetFile[];
};

type DatasetFile = {
  readonly title: string;
  /** Below `/-/{collection}/`. */
  readonly path: string;
  readonly mediaType: string;
  readonly size: number;
  /** SHA-256 in hexadecimal digits. */
  readonly digest: string;
};

/** A part of a collection with datasets. */
export interface DatasetSource extends CollectionPart {
  /** The datasets that a caller sees who reads the curated area, newest first. */
  datasets?(grant: Grant): Promise<readonly Dataset[]>;
}

/** The datasets of all modules that a caller sees. */
export async function datasetsOf(
  { attached }: { readonly attached: ReadonlyMap<string, DatasetSource> },
  grant: Grant,
): Promise<Dataset[]> {
  const found = await Promise.all([...attached.values()].map((part) => part.datasets?.(grant) ?? []));
  return found.flat();
}
