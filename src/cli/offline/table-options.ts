/** The options of commands that read tables. */

import { MOST_ROWS } from '../../formats/table.ts';
import { DATE_ORDERS } from '../../modules/tables/locale.ts';
import type { TableReading } from '../../modules/tables/read-table.ts';
import { choice, type Row, wholeNumber } from '../command.ts';

/** The options of a command that concern tables. */
export function tableReading(options: TableReading): TableReading {
  const { sheet, headerRow, encoding, decimalComma, dates } = options;
  return { sheet, headerRow, encoding, decimalComma, dates };
}

/** Adds the options to a command. */
export function ofTables<Args extends unknown[], Own extends Record<string, unknown>>(row: Row<Args, Own>) {
  return row
    .option('--sheet <name>', 'of a workbook: this sheet only')
    .option(
      '--header-row <number>',
      'the row that has the names of the columns (1)',
      wholeNumber(1, MOST_ROWS),
    )
    .option('--encoding <name>', 'of CSV: its encoding, such as windows-1252 (utf-8)')
    .option('--decimal-comma', 'numbers are written like 1.000,50')
    .addOption(choice('--dates <order>', 'the order in dates like 3/4/2025', DATE_ORDERS));
}
