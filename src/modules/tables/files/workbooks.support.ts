/** Workbooks for tests: made of XML, and read as they are. */
import { strToU8, zipSync } from 'fflate';
import { FILE_LIMITS } from './limits.ts';
import type { Sheet, SheetRow } from './table.ts';
import { readWorkbook } from './workbook.ts';

const ALL = { without: [], besides: [], isFirst: false };

/** The sheets of a workbook with all their rows, also empty ones, read in this thread. */
export async function sheetsIn(bytes: Uint8Array): Promise<{ name: string; rows: SheetRow[] }[]> {
  const { sheets } = await readWorkbook(bytes, FILE_LIMITS, ALL);
  return sheets.map(({ name, rows }) => ({ name, rows: filled(rows) }));
}

function filled(rows: Sheet['rows']): SheetRow[] {
  const byNumber = new Map(rows.map(({ number, ...row }) => [number, row]));
  return Array.from({ length: rows.at(-1)?.number ?? 0 }, (_, i) => byNumber.get(i + 1) ?? { cells: [] });
}

/** The cells of the first sheet. */
export async function cellsIn(bytes: Uint8Array): Promise<(readonly string[])[]> {
  const [first] = await sheetsIn(bytes);
  return first!.rows.map(({ cells }) => cells);
}

const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const RELATION = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** The parts of a workbook with a sheet `S`. */
export function partsOf(sheetData: string, more: Readonly<Record<string, string>> = {}) {
  const override = (name: string, kind: string) =>
    `<Override PartName="/xl/${name}.xml" ContentType="${TYPE}.${kind}+xml"/>`;
  return {
    '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${override('workbook', 'sheet.main')}${override('worksheets/sheet1', 'worksheet')}${override('styles', 'styles')}${override('sharedStrings', 'sharedStrings')}</Types>`,
    'xl/workbook.xml':
      '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="r1" Type="${RELATION}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
    'xl/styles.xml': '<styleSheet/>',
    'xl/sharedStrings.xml': '<sst></sst>',
    'xl/worksheets/sheet1.xml': `<worksheet>${sheetData}</worksheet>`,
    ...more,
  };
}

/** A workbook with a sheet `S`. */
export function workbookOf(sheetData: string, more: Readonly<Record<string, string>> = {}): Buffer {
  return archiveOf(partsOf(sheetData, more));
}

export function archiveOf(parts: Readonly<Record<string, string>>): Buffer {
  return Buffer.from(
    zipSync(Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)]))),
  );
}

/** Styles whose cells have these formats, by their order. */
export function stylesOf(...formats: readonly string[]): Record<string, string> {
  const escaped = formats.map((format) => format.replaceAll('&', '&amp;').replaceAll('"', '&quot;'));
  const defined = escaped.map((code, i) => `<numFmt numFmtId="${164 + i}" formatCode="${code}"/>`).join('');
  const used = formats.map((_, i) => `<xf numFmtId="${164 + i}"/>`).join('');
  return {
    'xl/styles.xml': `<styleSheet><numFmts>${defined}</numFmts><cellXfs><xf numFmtId="0"/>${used}</cellXfs></styleSheet>`,
  };
}
