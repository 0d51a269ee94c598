/** The name of the archive among the files of a release. The file has no imports, since the desk is bundled from it. */
export const ARCHIVE = 'crate.zip';
