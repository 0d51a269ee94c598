/**
 * Writes an XLSX file of any size in constant memory. The rows of each sheet wait in a temporary file, because a ZIP archive
 * has one part after the other.
 */
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Zip, ZipDeflate } from 'fflate';
import { type ColumnHelp, rowXml, type SheetFrame, workbookParts, worksheetFrame } from './xlsx-write.ts';

type SheetStart = { readonly header: readonly string[]; readonly columns: readonly ColumnHelp[] };

export type SheetRows = {
  /** @throws RangeError if the sheet is full */
  add(cells: readonly string[]): void;
};

export type WorkbookStream = {
  /** The sheet of that name; a new one begins with its header. */
  sheet(name: string, start: () => SheetStart): SheetRows;
  /** Writes the file, piece by piece. */
  pack(write: (bytes: Uint8Array) => Promise<void>): Promise<void>;
  /** Removes the temporary files. */
  close(): void;
};

/** Excel's own bound, with the header. */
const MOST_SHEET_ROWS = 1_048_576;
const READ_BLOCK = 256 * 1024;

type SheetFile = SheetRows & { readonly frame: SheetFrame; read(): Iterable<Uint8Array>; close(): void };

/** Begins a workbook. It has to be closed. */
export function openWorkbook(): WorkbookStream {
  const folder = mkdtempSync(join(tmpdir(), 'accession-xlsx-'));
  const sheets = new Map<string, SheetFile>();
  return {
    sheet(name, start) {
      const known = sheets.get(name);
      if (known) return known;
      const { header, columns } = start();
      const frame = { name, width: Math.max(1, header.length), columns };
      const sheet = openSheet(join(folder, `${sheets.size}.xml`), frame);
      if (header.length > 0) sheet.add(header);
      sheets.set(name, sheet);
      return sheet;
    },
    async pack(write) {
      const found = [...sheets.values()];
      let packed: Uint8Array[] = [];
      const zip = new Zip((error, chunk) => {
        if (error) throw error;
        packed.push(chunk);
      });
      const send = async () => {
        const chunks = packed;
        packed = [];
        for (const chunk of chunks) await write(chunk);
      };
      for (const [name, bytes] of Object.entries(workbookParts(found.map(({ frame }) => frame.name)))) {
        partOf(zip, name).push(bytes, true);
      }
      for (const [index, sheet] of found.entries()) {
        const part = partOf(zip, `xl/worksheets/sheet${index + 1}.xml`);
        const [start, end] = worksheetFrame(sheet.frame);
        part.push(Buffer.from(start));
        for (const block of sheet.read()) {
          part.push(block);
          await send();
        }
        part.push(Buffer.from(end), true);
      }
      zip.end();
      await send();
    },
    close() {
      for (const sheet of sheets.values()) sheet.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function partOf(zip: Zip, name: string): ZipDeflate {
  const part = new ZipDeflate(name, { level: 6 });
  part.mtime = new Date('2000-01-01T00:00:00');
  zip.add(part);
  return part;
}

function openSheet(path: string, frame: SheetFrame): SheetFile {
  const file = openSync(path, 'w+');
  let rows = 0;
  let waiting = '';
  const flush = () => {
    writeSync(file, waiting);
    waiting = '';
  };
  return {
    frame,
    add(cells) {
      if (rows === MOST_SHEET_ROWS) {
        throw new RangeError(
          `A sheet has at most ${MOST_SHEET_ROWS.toLocaleString('en')} rows, and '${frame.name}' has more. Export to CSV.`,
        );
      }
      waiting += rowXml(cells, rows);
      rows += 1;
      if (waiting.length > READ_BLOCK) flush();
    },
    *read() {
      flush();
      for (let at = 0; ; ) {
        const block = new Uint8Array(READ_BLOCK);
        const length = readSync(file, block, 0, READ_BLOCK, at);
        if (length === 0) return;
        at += length;
        yield block.subarray(0, length);
      }
    },
    close: () => closeSync(file),
  };
}
