/** Makes snapshots of sources; the formats are a table. */
import { LinkmlError } from '../errors.ts';
import type { Term } from '../terms/vocabulary.ts';
import { SnapshotBuilder } from './build-snapshot.ts';
import { readTermTable } from './read/csv.ts';
import { readObograph } from './read/obograph.ts';
import { readSkos } from './read/skos.ts';
import type { Pieces, SourceReader } from './read/source.ts';
import type { Snapshot } from './snapshot.ts';

/** The readers of files by the name of their format, with the suffixes of their files. */
const FILE_FORMATS: Readonly<Record<string, { suffixes: readonly string[]; read: SourceReader }>> = {
  obograph: { suffixes: ['.json'], read: readObograph },
  skos: { suffixes: ['.ttl'], read: readSkos },
  csv: { suffixes: ['.csv', '.tsv'], read: readTermTable },
};

/** The format of a source: the given one, else by its suffix. @throws LinkmlError `schema_invalid` if it is not known */
export function formatOf(name: string, given?: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[?#].*$/, '')
    .replace(/\.gz$/, '');
  const found = Object.entries(FILE_FORMATS).find(([, { suffixes }]) =>
    suffixes.some((suffix) => plain.endsWith(suffix)),
  );
  const format = given ?? found?.[0] ?? '';
  if (Object.hasOwn(FILE_FORMATS, format)) return format;
  throw new LinkmlError(
    'schema_invalid',
    `The format of ${name} is not known: expected ${Object.keys(FILE_FORMATS).join(', ')}.`,
  );
}

/**
 * The snapshot of a source.
 *
 * @param source where the bytes come from, as the snapshot remembers it
 * @throws LinkmlError `schema_invalid`: the source has another format, or no terms
 */
export async function takeSnapshot(
  pieces: Pieces,
  { source, format }: { source: string; format?: string | undefined },
): Promise<Uint8Array<ArrayBuffer>> {
  const known = formatOf(source, format);
  const builder = new SnapshotBuilder();
  const about = await FILE_FORMATS[known]!.read(pieces, builder);
  if (builder.terms === 0) throw new LinkmlError('schema_invalid', `${source} has no terms.`);
  return await builder.finish({ ...about, source, format: known });
}

export type TermChange =
  /** The term does not exist any more. */
  | { readonly kind: 'gone'; readonly before: Term }
  | { readonly kind: 'obsolete'; readonly before: Term; readonly after: Term }
  | { readonly kind: 'relabeled'; readonly before: Term; readonly after: Term };

export type SnapshotDifference = {
  readonly added: number;
  readonly changes: readonly TermChange[];
};

export function compareSnapshots(before: Snapshot, after: Snapshot): SnapshotDifference {
  if (before.about.digest === after.about.digest) return { added: 0, changes: [] };
  const changes: TermChange[] = [];
  let kept = 0;
  for (const term of before.all()) {
    const now = after.term(term.id);
    if (now) kept += 1;
    const change = changeOf(term, now);
    if (change) changes.push(change);
  }
  return { added: after.size - kept, changes };
}

function changeOf(before: Term, after: Term | undefined): TermChange | undefined {
  if (!after) return { kind: 'gone', before };
  if (after.obsolete && !before.obsolete) return { kind: 'obsolete', before, after };
  // Ontologies relabel terms when they become obsolete; that is reported as such.
  return after.label !== before.label && !after.obsolete ? { kind: 'relabeled', before, after } : undefined;
}
