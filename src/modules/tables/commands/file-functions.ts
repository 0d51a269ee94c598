/** How `import`, `export` and `validate` read and write tables. */
import { readFileSync } from 'node:fs';
import type { FileFunctions, GivenOptions } from '../../../cli/module.ts';
import { UsageError } from '../../../cli/outcome.ts';
import { HEADER_PAIR, headerMapOf } from '../rows/columns.ts';
import { TABLE_WRITERS } from '../rows/export-tables.ts';
import { validateTable } from '../rows/judge-table.ts';
import type { TableReading } from '../rows/read-table.ts';
import { importTables } from './import-tables.ts';
import type { TableFormat } from './reading.ts';

/** The options that `commands.ts` adds. */
type TableOptions = Omit<TableReading, 'map'> & {
  readonly replace?: boolean;
  readonly all?: boolean;
  readonly map?: readonly string[];
};

export const fileFunctions: FileFunctions = {
  importFile(job, kind, options) {
    const { replace = false, all = false } = options as TableOptions;
    return importTables({ ...job, replace, all, table: readingOf(options) }, kind as TableFormat);
  },
  validateFile: (path, kind, options, reading) =>
    validateTable(path, kind as TableFormat, readFileSync(path), { ...options, table: readingOf(reading) }),
  writers: TABLE_WRITERS,
};

function readingOf(options: GivenOptions): TableReading {
  const { sheet, headerRow, encoding, decimalComma, dates, map } = options as TableOptions;
  const refusal = (pair: string) => new UsageError(`--map: expected ${HEADER_PAIR}, found '${pair}'.`);
  return { sheet, headerRow, encoding, decimalComma, dates, map: map && headerMapOf(map, refusal) };
}
