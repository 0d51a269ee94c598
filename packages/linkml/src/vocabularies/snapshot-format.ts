/**
 * The form of a snapshot: one array of bytes that is used as it is, in a file, in a database or between threads.
 *
 *     8 bytes   ACCVOC1\n
 *     u32       the length of the header
 *     header    JSON in UTF-8 (`SnapshotHeader`), with blanks up to a multiple of 4 bytes
 *     sections  each at a multiple of 4 bytes; numbers are u32 in little-endian order
 *
 * Terms are sorted by id, and sections refer to them by their number in this order.
 */
import type { TermLink } from '../terms/vocabulary.ts';

/** Facts about a source and its snapshot. */
export type SnapshotAbout = {
  /** The IRIs of the ontology or concept scheme. */
  readonly iris: readonly string[];
  readonly title?: string;
  readonly version?: string;
  /** The date of the version, as the source writes it. */
  readonly date?: string;
  /** An IRI or a name. */
  readonly license?: string;
  /** Where the snapshot was made from: a URL, a path or `collection/Class`. */
  readonly source: string;
  readonly format: string;
  /** When it was made, in ISO 8601. */
  readonly taken: string;
  /** The SHA-256 hash of the terms: the same terms have the same digest, whatever the order and form of the source. */
  readonly digest: string;
};

export const SECTIONS = [
  // The number of the base of each id, and the rest of the id.
  'bases',
  'codeEnds',
  'codes',
  // A term without its id as JSON (`StoredTerm`); nothing for an id that is only the end of an edge.
  'textEnds',
  'texts',
  // Edges that lead up: pairs of the relation and the other term.
  'parentEnds',
  'parents',
  // The words of labels and synonyms, sorted, and for each the terms that have it.
  'wordEnds',
  'words',
  'postingEnds',
  'postings',
  // The length of each label, at most 255: short ones are found first.
  'lengths',
] as const;

export type SectionName = (typeof SECTIONS)[number];

export type SnapshotHeader = {
  readonly about: SnapshotAbout;
  /** Terms, without ids that are only mentioned. */
  readonly terms: number;
  readonly bases: readonly string[];
  /** The base of most terms. */
  readonly mainBase: string;
  readonly relations: readonly TermLink['relation'][];
  /** Offset and length of each section, in bytes behind the header. */
  readonly sections: Readonly<Record<SectionName, readonly [number, number]>>;
};

/** Label, synonyms, definition, obsolete, replaced by; what is absent is left out. */
export type StoredTerm = {
  readonly l?: string;
  readonly s?: readonly string[];
  readonly d?: string;
  readonly o?: true;
  readonly r?: readonly string[];
};

export const MAGIC = 'ACCVOC1\n';

/** The next multiple of 4. */
export function align(length: number): number {
  return Math.ceil(length / 4) * 4;
}

/** The words of a folded string, by which it is found. */
export function wordsOf(folded: string): string[] {
  return folded.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}
