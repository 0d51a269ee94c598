/**
 * Writes XLSX files (ECMA-376). The library that reads them writes none of what these are for: drop-downs, help when a cell is
 * selected, a header that stays. Cells are text (`@`) unless the caller says otherwise, so that a spreadsheet program does not
 * turn `007` into 7 or `3-4` into a date.
 */
import { strToU8, zipSync } from 'fflate';
import { columnLetters } from './limits.ts';
import { isErrorWord } from './table.ts';
import { encodedCell, encodeXml } from './xml.ts';

/** Text, a number with its format, or an error; an empty one is that of a formula without a saved result. */
export type XlsxCell =
  | string
  | { readonly number: string; readonly format?: string | undefined }
  | { readonly error: string };

export type SheetText<C extends XlsxCell = string> = {
  /** The class of the rows; the sheet has another name if programs do not allow this one. */
  readonly name: string;
  readonly rows: readonly (readonly C[])[];
  /** The number of the row that the header is in (1). */
  readonly headerRow?: number;
  /** Help and values by column; none for a sheet that is only read. */
  readonly columns?: readonly ColumnHelp[];
  /** Whether it has no records: its name is {@link HELP_SHEET}. */
  readonly isHelp?: boolean;
};

export type ColumnHelp = {
  readonly title: string;
  readonly help: string;
  /** A drop-down of these values; several values by `|` remain possible. */
  readonly choices: readonly string[];
};

/** The sheet of a template that has no records. */
export const HELP_SHEET = 'Help';
/** A hidden sheet with the names of sheets and the classes of their rows. */
export const CLASSES_SHEET = 'Accession classes';

/** Characters of a cell, in UTF-16: programs cut what is longer, or call the file damaged. */
const LONGEST_CELL = 32_767;

/** A cell that no spreadsheet program has, by its indexes in the rows of a sheet. */
export class CellTooLong extends Error {
  readonly sheet: string;
  readonly row: number;
  readonly column: number;

  constructor(sheet: string, row: number, column: number, length: number) {
    super(`a cell of a workbook has at most ${LONGEST_CELL} characters, and this value has ${length}`);
    this.name = 'CellTooLong';
    this.sheet = sheet;
    this.row = row;
    this.column = column;
  }
}

/** @throws CellTooLong */
export function writeXlsx(sheets: readonly SheetText<XlsxCell>[]): Uint8Array {
  const names = sheetNames(sheets);
  const renamed = names.flatMap((name, index) => {
    const { name: className } = sheets[index]!;
    return name === className ? [] : [[name, className]];
  });
  const all = renamed.length > 0 ? [...sheets, { name: CLASSES_SHEET, rows: renamed }] : sheets;
  const formats = new Formats();
  const parts: Record<string, Uint8Array> = {};
  for (const [i, { name, rows, headerRow = 1, columns = [] }] of all.entries()) {
    const isClasses = i === sheets.length;
    const [start, end] = worksheetFrame(Math.max(1, rows[0]?.length ?? 0), headerRow, columns);
    const xml = rows.map((cells, index) => {
      const column = cells.findIndex((cell) => typeof cell === 'string' && cell.length > LONGEST_CELL);
      if (column >= 0) throw new CellTooLong(name, index, column, (cells[column] as string).length);
      return rowXml(cells, headerRow + index, index === 0 && !isClasses, formats);
    });
    parts[`xl/worksheets/sheet${i + 1}.xml`] = strToU8(start + xml.join('') + end);
  }
  Object.assign(parts, workbookParts(names, renamed.length > 0, formats));
  return zipSync(parts, { mtime: new Date('2000-01-01T00:00:00') });
}

/** The parts of a workbook beside its sheets, which are `xl/worksheets/sheet1.xml` and so on. */
function workbookParts(
  names: readonly string[],
  hasClasses: boolean,
  formats: Formats,
): Record<string, Uint8Array> {
  const count = names.length + (hasClasses ? 1 : 0);
  const text = (content: string) => strToU8(XML + content);
  return {
    '[Content_Types].xml': text(contentTypes(count)),
    '_rels/.rels': text(relations([['officeDocument', 'xl/workbook.xml']])),
    'xl/workbook.xml': text(workbook(names, hasClasses)),
    'xl/_rels/workbook.xml.rels': text(
      relations([
        ...Array.from({ length: count }, (_, i): [string, string] => [
          'worksheet',
          `worksheets/sheet${i + 1}.xml`,
        ]),
        ['styles', 'styles.xml'],
      ]),
    ),
    'xl/styles.xml': text(formats.styles()),
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

function workbook(names: readonly string[], hasClasses: boolean): string {
  const sheet = (name: string, i: number, state = '') =>
    `<sheet name="${encodeXml(name)}" sheetId="${i + 1}"${state} r:id="rId${i + 1}"/>`;
  const all = names.map((name, i) => sheet(name, i));
  if (hasClasses) all.push(sheet(CLASSES_SHEET, names.length, ' state="hidden"'));
  return `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${all.join('')}</sheets></workbook>`;
}

/** Style 0: text. Style 1: bold text, for the header. Style 2: numbers and errors. Further ones are the formats of numbers. */
const OWN_STYLES = 3;
/** Numbers of formats that a file defines begin here (18.8.30). */
const FIRST_FORMAT = 164;

/** The formats of numbers in a workbook, each with a style. */
class Formats {
  readonly #styles = new Map<string, number>();

  styleOf(format: string | undefined): number {
    if (format === undefined) return OWN_STYLES - 1;
    const style = this.#styles.get(format) ?? OWN_STYLES + this.#styles.size;
    this.#styles.set(format, style);
    return style;
  }

  styles(): string {
    const formats = [...this.#styles.keys()];
    const defined = formats.map(
      (code, i) => `<numFmt numFmtId="${FIRST_FORMAT + i}" formatCode="${encodeXml(code)}"/>`,
    );
    const used = formats.map(
      (_, i) => `<xf numFmtId="${FIRST_FORMAT + i}" fontId="0" xfId="0" applyNumberFormat="1"/>`,
    );
    const list = defined.length > 0 ? `<numFmts count="${defined.length}">${defined.join('')}</numFmts>` : '';
    return `<styleSheet xmlns="${MAIN}">${list}<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="${OWN_STYLES + used.length}"><xf numFmtId="49" fontId="0" xfId="0" applyNumberFormat="1"/><xf numFmtId="49" fontId="1" xfId="0" applyNumberFormat="1" applyFont="1"/><xf numFmtId="0" fontId="0" xfId="0"/>${used.join('')}</cellXfs></styleSheet>`;
  }
}

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

function rowXml(cells: readonly XlsxCell[], row: number, isHeader: boolean, formats: Formats): string {
  const style = isHeader ? ' s="1"' : '';
  const all = cells.map((cell, c) => {
    const at = `r="${columnLetters(c)}${row}"`;
    if (cell === '') return '';
    if (typeof cell === 'string')
      return `<c ${at}${style} t="inlineStr"><is><t xml:space="preserve">${encodedCell(cell)}</t></is></c>`;
    if ('number' in cell)
      return `<c ${at} s="${formats.styleOf(cell.format)}"><v>${encodeXml(cell.number)}</v></c>`;
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

const LONGEST_NAME = 31;
/** Excel keeps the first one for itself, and an import the others. */
const RESERVED = ['history', HELP_SHEET.toLowerCase(), CLASSES_SHEET.toLowerCase()];

/** Names that programs allow: at most 31 characters, none of which means something in formulas, and all different in any case. */
function sheetNames(wanted: readonly Pick<SheetText, 'name' | 'isHelp'>[]): string[] {
  const taken = new Set(RESERVED);
  return wanted.map(({ name, isHelp }) => {
    if (isHelp) return name;
    const short = (text: string, length: number) =>
      text
        .slice(0, length)
        .toWellFormed()
        .replaceAll(/[\\/?*[\]:\ufffd\x00-\x1f]|^'|'$/g, ' ');
    let found = short(name, LONGEST_NAME) || 'Sheet';
    for (let number = 2; taken.has(found.toLowerCase()); number += 1) {
      const suffix = ` (${number})`;
      found = short(name, LONGEST_NAME - suffix.length) + suffix;
    }
    taken.add(found.toLowerCase());
    return found;
  });
}
