/** Reads the sheets of an OpenDocument spreadsheet (ISO/IEC 26300) as rows of text. A formula has the result that was saved with it. */
import { strFromU8 } from 'fflate';
import {
  cellCounter,
  FILE_LIMITS,
  MOST_ROWS,
  TableError,
  type TableLimits,
  TableTooLarge,
} from './limits.ts';
import { BREAKS_OFF, errorMessage, MOST_COLUMNS, NO_RESULT, type Sheet, type SheetRow } from './table.ts';
import { unpack } from './unpack.ts';
import { readXml, type XmlEvent } from './xml.ts';

/** @throws TableError */
export function readOds(bytes: Uint8Array, limits: TableLimits = FILE_LIMITS): Sheet[] {
  const content = unpack(bytes, limits)['content.xml'];
  if (!content) throw new TableError('The file is not an OpenDocument spreadsheet.');
  const xml = strFromU8(content);
  const sheets: Sheet[] = [];
  for (const event of readXml(xml)) {
    if (event.kind !== 'open' || event.name !== 'table') continue;
    const { attributes, at } = event;
    const rows = { [Symbol.iterator]: () => sheetRows(xml, at, limits) };
    sheets.push({ name: attributes['table:name'] ?? '', rows });
  }
  return sheets;
}

/** The rows of the sheet that begins at a position. Empty rows at its end are left out: programs fill sheets up with them. */
function* sheetRows(xml: string, start: number, limits: TableLimits): Generator<SheetRow> {
  const count = cellCounter(limits);
  let number = 0;
  let empty = 0;
  for (const { row, times } of rowsIn(xml, start, limits)) {
    if (row.cells.length === 0) {
      empty += times;
      continue;
    }
    number += empty + times;
    if (number > MOST_ROWS) throw new TableError(`A sheet has more than ${MOST_ROWS} rows.`);
    for (; empty > 0; empty -= 1) yield { cells: [] };
    for (let time = 0; time < times; time += 1) {
      row.cells.forEach(count);
      yield row;
    }
  }
}

type Cell = {
  text: string;
  readonly times: number;
  readonly kind: 'error' | 'formula' | 'number' | undefined;
};

/** Blanks that elements stand for: a small file could have any number. */
const MOST_BLANKS = 20_000_000;

/** Each row as the file has it, with how often it is repeated. */
function* rowsIn(
  xml: string,
  start: number,
  { characters }: TableLimits,
): Generator<{ row: SheetRow; times: number }> {
  const mostBlanks = Math.min(characters, MOST_BLANKS);
  let blanks = 0;
  let cells: Cell[] = [];
  let times = 1;
  let cell: Cell | undefined;
  let isNote = false;
  let isText = false;
  for (const event of readXml(xml, start)) {
    if (event.kind === 'open' && event.name === 'table' && event.at > start) return;
    const [opens, closes] = event.kind === 'text' ? [false, false] : bounds(event);
    const name = event.kind === 'text' ? '' : event.name;
    if (closes && name === 'table') return;
    if (name === 'annotation') isNote = opens && !closes;
    else if (isNote) continue;
    else if (name === 'table-row') {
      if (opens) [cells, times] = [[], repeated(event, 'table:number-rows-repeated')];
      if (closes) yield { row: rowOf(cells), times };
    } else if (name === 'table-cell' || name === 'covered-table-cell') {
      if (opens) cell = openedCell(event);
      if (closes && cell) cells.push(cell);
      if (closes) cell = undefined;
    } else if (cell) blanks += addText(cell, event, isText);
    if (blanks > mostBlanks) throw new TableTooLarge(`A sheet has more than ${mostBlanks} repeated blanks.`);
    if (name === 'p') isText = opens && !closes;
  }
  throw new TableError(BREAKS_OFF);
}

function bounds(event: Exclude<XmlEvent, { kind: 'text' }>): [opens: boolean, closes: boolean] {
  return event.kind === 'open' ? [true, event.empty] : [false, true];
}

function attributeOf(event: XmlEvent, name: string): string | undefined {
  return event.kind === 'open' ? event.attributes[name] : undefined;
}

function repeated(event: XmlEvent, name: string): number {
  const number = Number(attributeOf(event, name) ?? 1);
  return Number.isSafeInteger(number) && number > 0 ? number : 1;
}

/** Values that are typed are read from their attributes; strings from the paragraphs that follow. */
const TYPED: Readonly<Record<string, string>> = {
  float: 'office:value',
  percentage: 'office:value',
  currency: 'office:value',
  date: 'office:date-value',
  boolean: 'office:boolean-value',
};

function openedCell(event: XmlEvent): Cell {
  // Errors of formulas are strings, which another attribute marks.
  const isError = attributeOf(event, 'calcext:value-type') === 'error';
  const type = isError ? 'string' : (attributeOf(event, 'office:value-type') ?? '');
  const text = attributeOf(event, TYPED[type] ?? '');
  const isFormula = attributeOf(event, 'table:formula') !== undefined;
  const times = repeated(event, 'table:number-columns-repeated');
  const isNumber = TYPED[type] === 'office:value';
  const kind = isError ? 'error' : isFormula && type === '' ? 'formula' : isNumber ? 'number' : undefined;
  const cell: Cell = { text: text?.replace(/T00:00:00$/, '') ?? '', times, kind };
  return TYPED[type] === undefined ? cell : Object.freeze(cell);
}

/** Adds what a string cell has; paragraphs are lines. @returns how many blanks an element stands for */
function addText(cell: Cell, event: XmlEvent, isText: boolean): number {
  if (Object.isFrozen(cell)) return 0;
  if (event.kind === 'text') {
    if (isText) cell.text += event.text;
  } else if (event.kind === 'open') {
    if (event.name === 'p' && cell.text !== '') cell.text += '\n';
    else if (event.name === 's') {
      const blanks = Math.min(repeated(event, 'text:c'), 1000);
      cell.text += ' '.repeat(blanks);
      return blanks;
    } else if (event.name === 'tab') cell.text += '\t';
    else if (event.name === 'line-break') cell.text += '\n';
  }
  return 0;
}

/** The cells up to the last one that has something. @throws TableError */
function rowOf(cells: readonly Cell[]): SheetRow {
  const last = cells.findLastIndex(({ text, kind }) => text !== '' || kind !== undefined);
  const row: string[] = [];
  const broken = new Map<number, string>();
  const numbers = new Set<number>();
  for (const { text, times, kind } of cells.slice(0, last + 1)) {
    if (row.length + times > MOST_COLUMNS) throw new TableError('A sheet has too many columns.');
    for (let time = 0; time < times; time += 1) {
      if (kind === 'error') broken.set(row.length, errorMessage(text || '#VALUE!'));
      else if (kind === 'formula') broken.set(row.length, NO_RESULT);
      else if (kind === 'number') numbers.add(row.length);
      row.push(text);
    }
  }
  return { cells: row, ...(broken.size > 0 && { broken }), ...(numbers.size > 0 && { numbers }) };
}
