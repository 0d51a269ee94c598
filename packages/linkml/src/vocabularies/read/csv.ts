/**
 * Terms as rows of a table: CSV with a comma, a semicolon or a tab. A cell has several values with `|` between them. A
 * column whose name is a CURIE or an IRI has parents by this relation.
 */

import { BROADER, SUBCLASS_OF } from '../../terms/vocabulary.ts';
import type { SnapshotBuilder } from '../build-snapshot.ts';
import { csvRows, QuoteError } from './csv-rows.ts';
import { aboutOf, notOfForm, type Pieces, type SourceAbout, textOf } from './source.ts';

/** The columns by the names that tables use for them. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  id: ['id', 'curie', 'iri', 'uri', 'identifier', 'code', 'term_id'],
  label: ['label', 'name', 'preflabel', 'term', 'term_label'],
  synonyms: ['synonyms', 'synonym', 'altlabel', 'aliases'],
  definition: ['definition', 'description'],
  obsolete: ['obsolete', 'deprecated'],
  replacedBy: ['replaced_by', 'replacedby'],
};

/** Columns with parents, and their relations. */
const PARENTS: Readonly<Record<string, string>> = {
  parents: SUBCLASS_OF,
  parent: SUBCLASS_OF,
  is_a: SUBCLASS_OF,
  subclassof: SUBCLASS_OF,
  broader: BROADER,
};

export async function readTermTable(pieces: Pieces, builder: SnapshotBuilder): Promise<SourceAbout> {
  try {
    addRows(csvRows(await textOf(pieces)), builder);
  } catch (error) {
    if (!(error instanceof QuoteError)) throw error;
    throw notOfForm('csv');
  }
  return aboutOf([], {});
}

function addRows(rows: Iterator<string[]>, builder: SnapshotBuilder): void {
  const first = rows.next();
  const header: string[] = first.done ? [] : first.value.map((name) => name.trim());
  const names = header.map((name) => name.toLowerCase().replace(/^.*:(?=preflabel|altlabel|label$)/, ''));
  const columnOf = (key: string) => names.findIndex((name) => COLUMNS[key]!.includes(name));
  const columns = Object.fromEntries(Object.keys(COLUMNS).map((key) => [key, columnOf(key)]));
  if (columns.id === -1) throw notOfForm('csv', 1);
  const relations = header.map((name, column) =>
    Object.hasOwn(PARENTS, names[column]!) ? PARENTS[names[column]!] : name.includes(':') ? name : undefined,
  );
  for (let row = rows.next(); !row.done; row = rows.next()) {
    const cell = (key: string) => row.value[columns[key]!]?.trim() ?? '';
    const id = cell('id');
    if (id === '') continue;
    builder.add({
      id,
      label: cell('label') || undefined,
      synonyms: valuesIn(cell('synonyms')),
      definition: cell('definition') || undefined,
      obsolete: /^(?:true|t|yes|y|1|x)$/i.test(cell('obsolete')),
      replacedBy: valuesIn(cell('replacedBy')),
    });
    for (const [column, relation] of relations.entries())
      if (relation !== undefined && !Object.values(columns).includes(column))
        for (const parent of valuesIn(row.value[column] ?? '')) builder.link(id, relation, parent);
  }
}

function valuesIn(cell: string): string[] {
  return cell
    .split('|')
    .map((value) => value.trim())
    .filter((value) => value !== '');
}
