/** Writes the records that Browse exports as tables. */

import { canonicalJson, type JsonValue } from '#linkml/json.ts';
import type { WriteExport } from '../../../../ui/module.ts';
import { isEmpty, isObject, type JsonObject } from '../../../../ui/shared/json.ts';
import { type ClassDescription, type Slot, titleSlot } from '../../../../ui/shared/schema.ts';
import { csvRow, markedText } from '../files/csv.ts';
import type { XlsxCell } from '../files/xlsx-write.ts';
import { writeValues } from '../rows/cells.ts';

export const writeCsv: WriteExport = async function* (groups, { description, slots }) {
  const columns = columnsOf(description, slots);
  yield markedText(csvRow(columns.map(({ name }) => name)));
  for await (const records of groups)
    yield records.map((record) => csvRow(cellsOf(record, columns))).join('');
};

/** One sheet, with numbers and dates as such. What writes it is loaded when it is needed. */
export const writeWorkbook: WriteExport = async function* (groups, { description, slots }) {
  const columns = columnsOf(description, slots);
  const [{ writeXlsx }, { cellOfType }] = await Promise.all([
    import('../files/xlsx-write.ts'),
    import('../files/typed-cells.ts'),
  ]);
  const typed = (text: string, { range, multivalued }: Slot) =>
    multivalued || range.kind !== 'type' ? text : cellOfType(text, range.base);
  const rows: XlsxCell[][] = [columns.map(({ name }) => name)];
  for await (const records of groups)
    rows.push(
      ...records.map((record) => cellsOf(record, columns).map((text, index) => typed(text, columns[index]!))),
    );
  yield new Uint8Array(writeXlsx([{ name: description.class, rows }]));
};

/** The identifier, the name, and the columns that are shown. */
function columnsOf(description: ClassDescription, slots: readonly Slot[]): Slot[] {
  const first = description.slots.filter(
    (slot) => slot.identifier || slot.name === titleSlot(description)?.name,
  );
  return [...first, ...slots.filter((slot) => !first.includes(slot))];
}

/** Cells that an import reads again: several values are separated by `|`, and objects are JSON. */
function cellsOf(record: JsonObject, columns: readonly Slot[]): string[] {
  return columns.map(({ name, range }) => {
    const value = record[name];
    if (isEmpty(value)) return '';
    const values = [value].flat() as JsonValue[];
    const isStructured = values.some((one) => Array.isArray(one) || isObject(one as JsonObject));
    return isStructured ? canonicalJson(value as JsonValue) : writeValues(values, range);
  });
}
