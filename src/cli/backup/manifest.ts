/** The last file of a backup: its files with their digests. */

export const MANIFEST = 'manifest.json';

export type Manifest = {
  readonly format: 2;
  /** The release that has made the backup. */
  readonly accession: string;
  readonly created: string;
  /** Paths relative to the store, in the order of the archive. */
  readonly files: readonly ManifestFile[];
  /** Logs and links that lead out of the store and therefore are not in the backup. */
  readonly outside: readonly string[];
};

export type ManifestFile = { readonly path: string; readonly size: number; readonly sha256: string };

/** Files are below this folder of the archive. */
export const STORE_FOLDER = 'store';
