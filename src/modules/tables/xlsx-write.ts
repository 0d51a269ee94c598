/**
 * Writes an XLSX file (ECMA-376). Cells are text (`@`) unless the caller says otherwise, so that a spreadsheet program does not turn `007` into 7 or
 * `3-4` into a date; lists of values become drop-downs, help appears when a cell is selected.
 */
import { strToU8, zipSync } from 'fflate';
import { columnLetters } from './limits.ts';
import { isErrorWord } from './table.ts';
import { encodedCell, encodeXml } from './xml.ts';

/** Text, a number, or an error; an empty one is that of a formula without a saved result. */
export type XlsxCell = string | { readonly number: string } | { readonly error: string };

export type SheetText<C extends XlsxCell = string> = {
  readonly name: string;
  readonly rows: readonly (readonly C[])[];
  /** The number of the row that the header is in (1). */
  readonly headerRow?: number;
  /** Help and values by column; none for a sheet that is only read. */
  readonly columns?: readonly ColumnHelp[];
};

export type ColumnHelp = {
  readonly title: string;
  readonly help: string;
  /** A drop-down of these values; several values by `|` remain possible. */
  readonly choices: readonly string[];
};

export function writeXlsx(sheets: readonly SheetText<XlsxCell>[]): Uint8Array {
  const parts = workbookParts(sheets.map(({ name }) => name));
  for (const [i, { rows, headerRow = 1, columns = [] }] of sheets.entries()) {
    const [start, end] = worksheetFrame(Math.max(1, rows[0]?.length ?? 0), headerRow, columns);
    const all = rows.map((cells, index) => rowXml(cells, headerRow + index, index === 0));
    parts[`xl/worksheets/sheet${i + 1}.xml`] = strToU8(start + all.join('') + end);
  }
  return zipSync(parts, { mtime: new Date('2000-01-01T00:00:00') });
}

/** The parts of a workbook beside its sheets, which are `xl/worksheets/sheet1.xml` and so on. */
function workbookParts(names: readonly string[]): Record<string, Uint8Array> {
  const sheets = names.map(sheetName);
  const text = (content: string) => strToU8(XML + content);
  return {
    '[Content_Types].xml': text(contentTypes(sheets.length)),
    '_rels/.rels': text(relations([['officeDocument', 'xl/workbook.xml']])),
    'xl/workbook.xml': text(workbook(sheets)),
    'xl/_rels/workbook.xml.rels': text(
      relations([
        ...sheets.map((_, i): [string, string] => ['worksheet', `worksheets/sheet${i + 1}.xml`]),
        ['styles', 'styles.xml'],
      ]),
    ),
    'xl/styles.xml': text(STYLES),
  };
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';

function contentTypes(sheets: number): string {
  const type = (part: string, kind: string) =>
    `<Override PartName="/xl/${part}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${kind}+xml"/>`;
  const all = Array.from({ length: sheets }, (_, i) => type(`worksheets/sheet${i + 1}`, 'worksheet')).join(
    '',
  );
  return `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${type('workbook', 'sheet.main')}${type('styles', 'styles')}${all}</Types>`;
}

function relations(targets: readonly (readonly [kind: string, target: string])[]): string {
  const all = targets.map(
    ([kind, target], i) => `<Relationship Id="rId${i + 1}" Type="${OFFICE}/${kind}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`;
}

function workbook(sheets: readonly string[]): string {
  const all = sheets.map(
    (name, i) => `<sheet name="${encodeXml(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`,
  );
  return `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${all.join('')}</sheets></workbook>`;
}

/** Style 0: text. Style 1: bold text, for the header. Style 2: numbers and errors. */
const STYLES = `<styleSheet xmlns="${MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf numFmtId="49" fontId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" xfId="0" applyNumberFormat="1" applyFont="1"/><xf numFmtId="0" fontId="0" xfId="0"/></cellXfs></styleSheet>`;

/** Writes the text before and after the rows of a sheet. */
function worksheetFrame(
  width: number,
  headerRow: number,
  columns: readonly ColumnHelp[],
): [start: string, end: string] {
  const view = `<sheetViews><sheetView workbookViewId="0"><pane ySplit="${headerRow}" topLeftCell="A${headerRow + 1}" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`;
  const widths = `<cols><col min="1" max="${width}" width="22" style="0" customWidth="1"/></cols>`;
  return [
    `${XML}<worksheet xmlns="${MAIN}">${view}${widths}<sheetData>`,
    `</sheetData>${validations(columns)}</worksheet>`,
  ];
}

function rowXml(cells: readonly XlsxCell[], row: number, isHeader: boolean): string {
  const style = isHeader ? ' s="1"' : '';
  const all = cells.map((cell, c) => {
    const at = `r="${columnLetters(c)}${row}"`;
    if (cell === '') return '';
    if (typeof cell === 'string')
      return `<c ${at}${style} t="inlineStr"><is><t xml:space="preserve">${encodedCell(cell)}</t></is></c>`;
    if ('number' in cell) return `<c ${at} s="2"><v>${encodeXml(cell.number)}</v></c>`;
    // A formula that other cells do not change: its result is an error, too.
    if (cell.error === '') return `<c ${at} s="2"><f>NA()</f></c>`;
    const word = isErrorWord(cell.error) ? cell.error.trim() : '#VALUE!';
    return `<c ${at} s="2" t="e"><v>${word}</v></c>`;
  });
  return `<row r="${row}">${all.join('')}</row>`;
}

/** The lengths that Excel accepts for the text of a list, a title and a prompt. */
const LONGEST_LIST = 255;
const LONGEST_TITLE = 32;
const LONGEST_PROMPT = 255;

function validations(columns: readonly ColumnHelp[]): string {
  const all = columns.map(({ title, help, choices }, i) => {
    const letters = columnLetters(i);
    const list = choices.join(',');
    const isList =
      choices.length > 0 && list.length <= LONGEST_LIST && !choices.some((one) => /[,"]/.test(one));
    const formula = isList ? `<formula1>"${encodeXml(list)}"</formula1>` : '';
    const prompt = `showInputMessage="1" promptTitle="${encodeXml(cut(title, LONGEST_TITLE))}" prompt="${encodeXml(cut(help, LONGEST_PROMPT))}"`;
    return `<dataValidation${isList ? ' type="list"' : ''} allowBlank="1" ${prompt} sqref="${letters}2:${letters}1048576">${formula}</dataValidation>`;
  });
  return all.length === 0 ? '' : `<dataValidations count="${all.length}">${all.join('')}</dataValidations>`;
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}

/** Names have at most 31 characters, none of which means something in formulas, and differ. */
function sheetName(name: string, index: number, names: readonly string[]): string {
  const short = (text: string) => text.replaceAll(/[\\/?*[\]:]/g, ' ').slice(0, 31) || 'Sheet';
  const same = names.slice(0, index).some((one) => short(one).toLowerCase() === short(name).toLowerCase());
  return same ? `${short(name).slice(0, 27)} (${index + 1})` : short(name);
}
