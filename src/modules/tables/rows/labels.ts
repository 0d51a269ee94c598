/** Finds records by what people call them: for references in tables. */
import type { JsonObject } from '#linkml/json.ts';
import { comparable } from '#linkml/look-alikes.ts';
import { titleSlotsOf } from '../../../core/records/title.ts';
import type { Schema } from '../../../core/schema/schema.ts';
import type { Table } from '../files/table.ts';
import { type FindLabel, readCell } from './cells.ts';
import type { HeaderMap } from './columns.ts';
import type { CellLocale } from './locale.ts';
import { cellText, columnsIn, contextOf, type ReadOptions, readRows } from './rows.ts';

/** A label of a record, as labels are compared. */
export type LabelEntry = readonly [label: string, pid: string, className: string];

/** Records by label, as far as they have been added. */
export class Labels {
  readonly #schema: Schema;
  /** By label: the pids with their classes. */
  readonly #known = new Map<string, Map<string, string>>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  add(className: string, record: JsonObject): void {
    for (const entry of this.entriesOf(className, record)) this.note(entry);
  }

  /** Adds the records of the rows of a table. Only their labels are of interest, so any reference will do. */
  addTable(table: Table, className: string, locale: CellLocale = {}, map?: HeaderMap): void {
    const options = { schema: this.#schema, className, locale, map, findLabel: () => ['linkml:Any'] };
    for (const { record } of readRows(table, options)) if (record) this.add(className, record);
  }

  entriesOf(className: string, record: JsonObject): LabelEntry[] {
    const { pid } = record;
    if (typeof pid !== 'string') return [];
    const definition = this.#schema.classes.get(className);
    return (definition ? titleSlotsOf(definition) : [])
      .flatMap((slot) => record[slot])
      .filter((value) => typeof value === 'string')
      .map((value): LabelEntry => [folded(value), pid, className]);
  }

  note([label, pid, className]: LabelEntry): void {
    const pids = this.#known.get(label) ?? new Map<string, string>();
    this.#known.set(label, pids.set(pid, className));
  }

  /** The pids of a class, or of one below it, that have a label; case and blanks at the edges do not matter. */
  readonly find: FindLabel = (label, className) => {
    const classes = this.#schema.descendants(className);
    const pids = this.#known.get(folded(label)) ?? new Map<string, string>();
    return [...pids].flatMap(([pid, of]) => (classes.includes(of) ? [pid] : []));
  };
}

/** The labels by which a table refers to records, and the classes of these. */
export function labelsWanted(table: Table, options: ReadOptions) {
  const classes = new Set<string>();
  const labels = new Set<string>();
  const findLabel: FindLabel = (label, className) => {
    classes.add(className);
    labels.add(folded(label));
    return ['a:pid'];
  };
  const context = contextOf({ ...options, findLabel });
  const columns = columnsIn(table, options);
  for (const row of table.rows) {
    for (const [index, column] of columns.entries()) {
      const { range } = column?.value ?? {};
      if (range?.kind === 'class' && range.inlining === 'reference')
        readCell(cellText(row, index, column), column!.value, context);
    }
  }
  return { classes, labels };
}

function folded(label: string): string {
  return comparable(label).trim().toLowerCase();
}
