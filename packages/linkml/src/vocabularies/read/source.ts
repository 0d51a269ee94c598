import { fixedText, type LinkmlError, sourceFault } from '../../errors.ts';
import type { SnapshotBuilder } from '../build-snapshot.ts';
import type { SnapshotAbout } from '../snapshot-format.ts';

/** Namespaces of properties that describe terms. */
export const SKOS = 'http://www.w3.org/2004/02/skos/core#';
export const DCTERMS = 'http://purl.org/dc/terms/';

/** The bytes of a source, piece by piece. */
export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** The description that a source has of itself. */
export type SourceAbout = Pick<SnapshotAbout, 'iris' | 'title' | 'version' | 'date' | 'license'>;

/**
 * Adds the terms of a source to a snapshot.
 *
 * @throws LinkmlError `schema_invalid`: the source has another form
 */
export type SourceReader = (pieces: Pieces, builder: SnapshotBuilder) => Promise<SourceAbout>;

/** What is wrong with sources of another form. */
const OTHER_FORM = {
  csv: fixedText('expected a table of terms in CSV with a column for identifiers, found another form'),
  skos: fixedText('expected SKOS in Turtle, found another form'),
  obograph: fixedText('expected a whole OBO Graph in JSON, found another form'),
};

/** The fault of a source that has another form. @param line from 1, if it is known */
export function notOfForm(form: keyof typeof OTHER_FORM, line?: number): LinkmlError {
  return sourceFault('The source', OTHER_FORM[form], { line });
}

/** The properties of a source that are known. */
export function aboutOf(
  iris: readonly string[],
  known: Readonly<Record<string, string | undefined>>,
): SourceAbout {
  const entries = Object.entries(known).filter(([, value]) => value !== undefined && value !== '');
  return { iris: [...new Set(iris)], ...Object.fromEntries(entries) };
}

/** The whole source as a string. */
export async function textOf(pieces: Pieces): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of pieces) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}
