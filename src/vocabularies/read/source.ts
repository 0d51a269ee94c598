/** The contract of readers of sources. */
import { LinkmlError } from '../../errors.ts';
import type { SnapshotBuilder } from '../build-snapshot.ts';
import type { SnapshotAbout } from '../snapshot-format.ts';

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

/** The forms of sources, for messages. */
const FORMS = {
  csv: 'a table of terms in CSV with a column for identifiers',
  skos: 'SKOS in Turtle',
  obograph: 'a whole OBO Graph in JSON',
} as const;

/**
 * The fault of a source that has another form. It has a position, and nothing of the source: an administrator who sets it may not be
 * allowed to read the file behind it.
 *
 * @param line from 1, if it is known
 */
export function notOfForm(form: keyof typeof FORMS, line?: number): LinkmlError {
  const where = line === undefined ? '' : `, line ${line}`;
  return new LinkmlError(
    'schema_invalid',
    `The source${where}: expected ${FORMS[form]}, found another form.`,
  );
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
