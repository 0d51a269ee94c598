/** Prints the faults of a table: the first ones of each kind in a column, and how many more there are. */
import { withValue } from './judge-table.ts';
import type { TableFault } from './rows.ts';

/** Faults of one kind in one column that are printed: a column is corrected as a whole, so the kind matters, not every cell. */
const SHOWN_OF_A_KIND = 5;

export type FaultPrinter = {
  add(fault: TableFault): void;
  /** Prints how many of each kind were left out. @returns how many were left out of all */
  end(): number;
};

/** @param all whether each fault is printed */
export function faultPrinter(source: string, all: boolean): FaultPrinter {
  const kinds = new Map<string, { readonly first: string; count: number; lastRow: number }>();
  const write = (text: string) => process.stderr.write(`${source}: ${text}\n`);
  return {
    add(fault) {
      const { row, column, header, type } = fault;
      // Cells below a missing header are of one kind, whatever their column is.
      const key = JSON.stringify([type, header === '' ? '' : column]);
      const kind = kinds.get(key) ?? { first: cellOf(fault), count: 0, lastRow: row };
      kinds.set(key, kind);
      kind.count += 1;
      kind.lastRow = row;
      if (all || kind.count <= SHOWN_OF_A_KIND) write(faultText(fault));
    },
    end() {
      let left = 0;
      for (const { first, count, lastRow } of all ? [] : kinds.values()) {
        const more = count - SHOWN_OF_A_KIND;
        if (more <= 0) continue;
        left += more;
        write(`${more} more like ${first}, the last one in row ${lastRow}`);
      }
      kinds.clear();
      return left;
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
