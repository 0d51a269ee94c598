/** The options of commands that read tables. */
import { type Row, wholeNumber } from '../command.ts';

/** How a table is read, where it does not say it itself. */
export type TableReading = {
  readonly sheet?: string;
  readonly headerRow?: number;
  readonly encoding?: string;
  readonly decimalComma?: boolean;
  readonly dates?: 'dmy' | 'mdy';
};

/** What of the options of a command concerns tables. */
export function tableReading({
  sheet,
  headerRow,
  encoding,
  decimalComma,
  dates,
}: TableReading): TableReading {
  const given = Object.entries({ sheet, headerRow, encoding, decimalComma, dates });
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** Adds the options to a command. */
export function ofTables<Args extends unknown[], Own extends Record<string, unknown>>(row: Row<Args, Own>) {
  return row
    .option('--sheet <name>', 'of a workbook: this sheet only')
    .option(
      '--header-row <number>',
      'the row that has the names of the columns (1)',
      wholeNumber(1, 1_048_576),
    )
    .option('--encoding <name>', 'of CSV: its encoding, such as windows-1252 (utf-8)')
    .option('--decimal-comma', 'numbers are written like 1.000,50')
    .addOption(
      row.createOption('--dates <order>', 'the order in dates like 3/4/2025').choices(['dmy', 'mdy']),
    );
}
