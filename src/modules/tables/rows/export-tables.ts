/** Writes the records of an export as tables. */

import { classUnknown } from '#linkml/generate/class-schema.ts';
import { grow } from '../../../cli/client/export-formats.ts';
import { recordTexts, texts, withoutTypeIn } from '../../../cli/client/export-source.ts';
import type { FileFunctions } from '../../../cli/module.ts';
import { UsageError } from '../../../cli/outcome.ts';
import { countText } from '../../../cli/print.ts';
import { csvRow } from '../files/csv.ts';
import { MOST_ROWS } from '../files/limits.ts';
import { typedCell } from '../files/typed-cells.ts';
import { CellTooLong, type SheetText, writeXlsx, type XlsxCell } from '../files/xlsx-write.ts';
import { type Column, columnsOf, headerOf } from './columns.ts';
import { writeRow } from './rows.ts';
import { columnHelp } from './template.ts';

/** A workbook is in memory. An import takes no larger one. */
const MOST_WORKBOOK_CHARACTERS = 32 * 1024 * 1024;

export const TABLE_WRITERS: FileFunctions['writers'] = {
  async csv(source, to) {
    const { className } = source;
    if (className === undefined)
      throw new UsageError('A CSV file has the records of one class: use --class.');
    const schema = await source.schema();
    if (!schema.classes.has(className)) throw classUnknown(schema, className);
    const columns = columnsOf(schema, className);
    let left = 0;
    const isLeft = (of: string) => {
      if (of !== className) left += 1;
      return of !== className;
    };
    const count = await grow(to, {
      start: csvRow(columns.map(headerOf)),
      records: texts(source, isLeft),
      entry: (text) => csvRow(writeRow(withoutTypeIn(text), columns)),
    });
    if (left > 0)
      process.stderr.write(
        `${countText(left, 'record')} of subclasses of ${className} left out: a CSV file has one class. Export to XLSX, or each class.\n`,
      );
    return count;
  },
  async xlsx(source, to) {
    const schema = await source.schema();
    const sheets = new Map<string, { readonly columns: readonly Column[]; readonly rows: XlsxCell[][] }>();
    let count = 0;
    let characters = 0;
    for await (const { text, className } of recordTexts(source)) {
      const sheet = sheets.get(className) ?? { columns: columnsOf(schema, className), rows: [] };
      sheets.set(className, sheet);
      const { columns, rows } = sheet;
      const cells = writeRow(withoutTypeIn(text), columns);
      rows.push(cells.map((cell, index) => typedCell(cell, columns[index]!.value)));
      count += 1;
      characters += text.length;
      if (rows.length >= MOST_ROWS || characters > MOST_WORKBOOK_CHARACTERS)
        throw new UsageError('The records are too many for one workbook. Export to CSV.');
    }
    const { className } = source;
    if (count === 0 && className !== undefined)
      sheets.set(className, { columns: columnsOf(schema, className), rows: [] });
    await to.write(
      workbookOf(
        [...sheets].map(([name, { columns, rows }]) => ({
          name,
          rows: [columns.map(headerOf), ...rows],
          columns: columns.map(columnHelp),
        })),
      ),
    );
    return count;
  },
};

/** @throws UsageError that names the record and the slot of a value that no cell has */
function workbookOf(sheets: readonly SheetText<XlsxCell>[]): Uint8Array {
  try {
    return writeXlsx(sheets);
  } catch (error) {
    if (!(error instanceof CellTooLong)) throw error;
    const { rows } = sheets.find(({ name }) => name === error.sheet)!;
    const slot = rows[0]?.[error.column];
    throw new UsageError(`${rows[error.row]?.[0]}, slot ${slot}: ${error.message}. Export to CSV.`);
  }
}
