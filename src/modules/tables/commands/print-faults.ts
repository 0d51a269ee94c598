/** Prints the faults of a table: the first ones of each kind in a column, and how many more there are. */
import { firstOfKinds } from '../../../cli/first-of-kinds.ts';
import { withValue } from '../rows/judge-table.ts';
import type { TableFault } from '../rows/rows.ts';

type FaultPrinter = {
  add(fault: TableFault): void;
  /** Prints how many of each kind were left out. @returns how many were left out of all */
  end(): number;
};

/** @param all whether each fault is printed */
export function faultPrinter(source: string, all: boolean): FaultPrinter {
  const kinds = firstOfKinds<TableFault>(all);
  const write = (text: string) => process.stderr.write(`${source}: ${text}\n`);
  return {
    add(fault) {
      const { column, header, type } = fault;
      // Cells below a missing header are of one kind, whatever their column is.
      if (kinds.shows(JSON.stringify([type, header === '' ? '' : column]), fault)) write(faultText(fault));
    },
    end() {
      const unprinted = kinds.end();
      for (const { first, last, more } of unprinted)
        write(`${more} more like ${cellOf(first)}, the last one in row ${last.row}`);
      return unprinted.reduce((sum, { more }) => sum + more, 0);
    },
  };
}

/** `C12 (founded): Found "abc", expected …` */
function faultText(fault: TableFault): string {
  return `${cellOf(fault)}: ${fault.column === '' ? fault.message : withValue(fault.message, fault.value)}`;
}

function cellOf({ row, column, header }: TableFault): string {
  if (column === '') return `row ${row}`;
  return `${column}${row}${header === '' ? '' : ` (${header})`}`;
}
