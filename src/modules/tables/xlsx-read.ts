/** Reads the sheets of an XLSX file (ECMA-376) as rows of text. A formula has the result that was saved with it. */
import { strFromU8 } from 'fflate';
import {
  cellCounter,
  FILE_LIMITS,
  MOST_ROWS,
  TableError,
  type TableLimits,
  TableTooLarge,
} from './limits.ts';
import { dateText } from './locale.ts';
import {
  BREAKS_OFF,
  columnIndex,
  errorMessage,
  MOST_COLUMNS,
  NO_RESULT,
  type Sheet,
  type SheetRow,
  shorten,
} from './table.ts';
import { unpack } from './unpack.ts';
import { readXml } from './xml.ts';

/** @throws TableError */
export function readXlsx(bytes: Uint8Array, limits: TableLimits = FILE_LIMITS): Sheet[] {
  const parts = unpack(bytes, limits);
  const part = (name: string) => {
    const data = parts[name];
    return data === undefined ? '' : strFromU8(data);
  };
  const main = relations(part, '').byType.get('officeDocument') ?? 'xl/workbook.xml';
  if (!parts[main]) throw new TableError('The file is not an XLSX workbook.');
  const { byId, byType } = relations(part, main);
  const shared = sharedStrings(part(byType.get('sharedStrings') ?? 'xl/sharedStrings.xml'), limits);
  const { dates, styles } = dateStyles(part(byType.get('styles') ?? 'xl/styles.xml'));
  const { sheets, from1904 } = workbook(part(main));
  const context = { shared, isDate: (style: number) => dates.has(styles[style] ?? 0), from1904, limits };
  return sheets.map(({ name, relation }) => {
    const path = byId.get(relation) ?? '';
    const rows = () => {
      if (!parts[path])
        throw new TableError(`The workbook is damaged: the sheet "${shorten(name)}" is missing.`);
      return sheetRows(part(path), context);
    };
    return { name, rows: { [Symbol.iterator]: rows } };
  });
}

/** The paths of the parts that a part refers to, by the id and by the kind of their relation; those of the package for ''. */
function relations(part: (name: string) => string, of: string) {
  const byId = new Map<string, string>();
  const byType = new Map<string, string>();
  const [, folder = '', name = ''] = /^(.*\/)?([^/]*)$/s.exec(of) ?? [];
  for (const event of readXml(part(`${folder}_rels/${name}.rels`))) {
    if (event.kind !== 'open' || event.name !== 'Relationship') continue;
    const { Id = '', Target = '', Type = '' } = event.attributes;
    const path = Target.startsWith('/') ? Target.slice(1) : folder + Target;
    byId.set(Id, path);
    byType.set(Type.slice(Type.lastIndexOf('/') + 1), path);
  }
  return { byId, byType };
}

const MOST_SHEETS = 1000;

function workbook(xml: string) {
  const sheets: { name: string; relation: string }[] = [];
  let from1904 = false;
  for (const event of readXml(xml)) {
    if (event.kind !== 'open') continue;
    const { attributes } = event;
    if (event.name === 'workbookPr') from1904 = attributes.date1904 === '1' || attributes.date1904 === 'true';
    if (event.name !== 'sheet') continue;
    if (sheets.length === MOST_SHEETS)
      throw new TableTooLarge(`The workbook has more than ${MOST_SHEETS} sheets.`);
    const key = Object.keys(attributes).find((one) => one.endsWith(':id')) ?? '';
    sheets.push({ name: attributes.name ?? '', relation: attributes[key] ?? '' });
  }
  return { sheets, from1904 };
}

/** The texts that cells refer to by number. Phonetic hints are left out. */
function sharedStrings(xml: string, { values }: TableLimits): string[] {
  const strings: string[] = [];
  let text: string[] | undefined;
  let inText = false;
  let phonetic = false;
  for (const event of readXml(xml)) {
    if (event.kind === 'text') {
      if (inText && !phonetic) text?.push(event.text);
    } else if (event.name === 't') inText = event.kind === 'open' && !event.empty;
    else if (event.name === 'rPh') phonetic = event.kind === 'open';
    else if (event.name === 'si' && event.kind === 'open') {
      if (strings.length === values) throw new TableTooLarge(`The cells share more than ${values} strings.`);
      text = [];
      if (event.empty) strings.push('');
    } else if (event.name === 'si') strings.push(restored((text ?? []).join('')));
  }
  return strings;
}

/** Which number formats are dates, and the number format of each cell style. */
function dateStyles(xml: string): { dates: ReadonlySet<number>; styles: readonly number[] } {
  const dates = new Set([14, 15, 16, 17, 18, 19, 20, 21, 22, 27, 30, 36, 45, 46, 47, 50, 57]);
  const styles: number[] = [];
  let inCells = false;
  for (const event of readXml(xml)) {
    if (event.kind === 'text') continue;
    if (event.name === 'cellXfs') inCells = event.kind === 'open';
    if (event.kind !== 'open') continue;
    if (event.name === 'numFmt' && isDateFormat(event.attributes.formatCode ?? '')) {
      dates.add(Number(event.attributes.numFmtId));
    }
    if (event.name === 'xf' && inCells) styles.push(Number(event.attributes.numFmtId ?? 0));
  }
  return { dates, styles };
}

/** Longer ones are not from a spreadsheet program. */
const LONGEST_FORMAT = 255;

function isDateFormat(code: string): boolean {
  if (code.length > LONGEST_FORMAT || code === 'General') return false;
  return /[dmyhs]/i.test(code.replaceAll(/\[[^\]]*\]|"[^"]*"|\\./g, ''));
}

type SheetContext = {
  readonly shared: readonly string[];
  readonly isDate: (style: number) => boolean;
  readonly from1904: boolean;
  readonly limits: TableLimits;
};

/** Empty cells before others: a small file could place one cell at the end of each row. */
const MOST_GAPS = 20_000_000;

function* sheetRows(xml: string, context: SheetContext): Generator<SheetRow> {
  const count = cellCounter(context.limits);
  let row: string[] = [];
  let column = 0;
  let broken = new Map<number, string>();
  let numbers = new Set<number>();
  let number = 0;
  let gaps = 0;
  let cell = { index: 0, type: '', style: 0, text: '', isFormula: false };
  let inValue = false;
  let phonetic = false;
  let isWhole = true;
  for (const event of readXml(xml)) {
    if (event.kind === 'text') {
      if (inValue) cell.text += event.text;
      continue;
    }
    const { name } = event;
    if (name === 'sheetData') isWhole = event.kind === 'close' || event.empty;
    else if (event.kind === 'open' && name === 'row') {
      const next = Number(event.attributes.r ?? number + 1);
      if (!(next > number && next <= MOST_ROWS))
        throw new TableError('The rows of a sheet are not in order.');
      while (number < next - 1) {
        number += 1;
        yield { cells: [] };
      }
      number = next;
      row = [];
      column = 0;
      [broken, numbers] = [new Map(), new Set()];
      if (event.empty) yield { cells: row };
    } else if (event.kind === 'close' && name === 'row') {
      yield { cells: row, ...(broken.size > 0 && { broken }), ...(numbers.size > 0 && { numbers }) };
    } else if (event.kind === 'open' && name === 'c') {
      const letters = /^[A-Za-z]+/.exec(event.attributes.r ?? '')?.[0];
      const index = letters === undefined ? column : columnIndex(letters);
      if (index >= MOST_COLUMNS) throw new TableError('A sheet has too many columns.');
      column = index + 1;
      const { t: type = 'n', s: style = 0 } = event.attributes;
      cell = { index, type, style: Number(style), text: '', isFormula: false };
    } else if (event.kind === 'close' && name === 'c') {
      gaps += Math.max(0, cell.index - row.length);
      if (gaps > MOST_GAPS) throw new TableError('A sheet has too many empty cells between others.');
      while (row.length < cell.index) {
        count('');
        row.push('');
      }
      const text = cellText(cell, context);
      count(text);
      row[cell.index] = text;
      const why = whyBroken(cell, context);
      if (why !== undefined) broken.set(cell.index, why);
      else if (isNumber(cell, context)) numbers.add(cell.index);
    } else if (name === 'f') {
      cell.isFormula = true;
    } else if (name === 'rPh') phonetic = event.kind === 'open';
    else if (name === 'v' || name === 't') inValue = event.kind === 'open' && !event.empty && !phonetic;
  }
  if (!isWhole) throw new TableError(BREAKS_OFF);
}

/** Why a cell has no value that refers to one. */
const NO_STRING = 'The workbook is damaged: it does not have the text of the cell.';

/** Programs that do not calculate save formulas without results. One whose result is an empty string has the type `str`. */
function whyBroken(
  { type, text, isFormula }: { type: string; text: string; isFormula: boolean },
  { shared }: SheetContext,
) {
  if (type === 'e') return errorMessage(text);
  if (type === 's' && text !== '' && shared[Number(text)] === undefined) return NO_STRING;
  if (!isFormula || text !== '' || type === 'str') return undefined;
  return NO_RESULT;
}

function isNumber(
  { type, style, text }: { type: string; style: number; text: string },
  context: SheetContext,
) {
  return type === 'n' && text !== '' && Number.isFinite(Number(text)) && !context.isDate(style);
}

/** Sums have noise behind 15 digits, which spreadsheet programs hide. Amounts above this may have cents there. */
const LARGE = 1e9;

function cellText(cell: { type: string; style: number; text: string }, context: SheetContext): string {
  const { type, text } = cell;
  if (type === 's') return text === '' ? '' : (context.shared[Number(text)] ?? '');
  if (type === 'b') return text === '1' ? 'true' : 'false';
  if (type !== 'n' || text === '') return restored(text);
  return context.isDate(cell.style) ? dateText(Number(text), context.from1904) : cellNumber(text);
}

/** As people see it: without an exponent that they did not write, `3` rather than `3.0`. */
function cellNumber(text: string): string {
  const number = Number(text);
  if (!Number.isFinite(number)) return text;
  const rounded = Number(number.toPrecision(15));
  const isNoise = Math.abs(number) < LARGE || Math.abs(number - rounded) <= Math.abs(number) * Number.EPSILON;
  return String(!Number.isSafeInteger(number) && isNoise ? rounded : number);
}

/** `_x000D_` stands for a character that XML would change. */
function restored(text: string): string {
  return text.replaceAll(/_x([0-9a-fA-F]{4})_/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
