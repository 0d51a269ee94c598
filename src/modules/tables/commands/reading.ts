/** The formats of tables, and what their options choose from. The list of the command line loads this file. */
import type { FileFormats } from '../../../cli/file-formats.ts';

export const TABLE_FORMATS = {
  csv: { title: 'CSV', suffixes: ['.csv'] },
  xlsx: { title: 'XLSX', suffixes: ['.xlsx'] },
  xls: { title: 'XLS, XLSB and XLSM', suffixes: ['.xls', '.xlsb', '.xlsm'], onlyRead: '.xlsx' },
  ods: { title: 'ODS', suffixes: ['.ods'], onlyRead: '.xlsx' },
} as const satisfies FileFormats;

export type TableFormat = keyof typeof TABLE_FORMATS;

/** The orders of local dates, and the day numbers of spreadsheet programs. */
export const DATE_ORDERS = ['dmy', 'mdy', 'excel'] as const;
