/**
 * The package entry `accession-linkml/vocabularies`: snapshots of vocabularies for `openLinkml(source, { terms })`.
 * `docs/vocabularies.md` is its manual. It needs the package `n3` for SKOS.
 */
export { SnapshotBuilder, type SourceTerm } from './build-snapshot.ts';
export type { Pieces } from './read/source.ts';
export { searchTerms, type TermSearch } from './search.ts';
export { openSnapshot, type Snapshot } from './snapshot.ts';
export type { SnapshotAbout } from './snapshot-format.ts';
export { compareSnapshots, type SnapshotDifference, type TermChange, takeSnapshot } from './take.ts';
