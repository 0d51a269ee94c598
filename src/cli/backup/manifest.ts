/** The last file of a backup: its files with their digests. */

export const MANIFEST = 'manifest.json';

export type Manifest = {
  readonly format: 1;
  /** The release that has made the backup. */
  readonly accession: string;
  readonly created: string;
  /** Paths relative to the store, in the order of the archive. */
  readonly files: readonly ManifestFile[];
  /** Areas and logs that are outside of the store and therefore not in the backup. */
  readonly outside: readonly string[];
};

export type ManifestFile = { readonly path: string; readonly size: number; readonly sha256: string };

/** Files are below this folder of the archive. */
export const STORE_FOLDER = 'store';
