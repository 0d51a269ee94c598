/** The empty table of a class, for people to fill in. */

import { choicesOf } from '../../../core/records/choices.ts';
import type { Schema, SlotRange } from '../../../core/schema/schema.ts';
import { csvRow } from '../files/csv.ts';
import { COMMENT } from '../files/table.ts';
import { type ColumnHelp, HELP_SHEET, writeXlsx } from '../files/xlsx-write.ts';
import { type Column, columnsOf, headerOf } from './columns.ts';

/** The template as CSV: the header, and a comment row with the help of each column. */
export function csvTemplate(schema: Schema, className: string): string {
  const columns = columnsOf(schema, className);
  const help = columns.map((column, i) => (i === 0 ? `${COMMENT} ` : '') + helpOf(column));
  return csvRow(columns.map(headerOf)) + csvRow(help);
}

/** The template as XLSX: a sheet to fill in, with drop-downs and help at each column, and a sheet that explains them. */
export function xlsxTemplate(schema: Schema, className: string): Uint8Array {
  const columns = columnsOf(schema, className);
  const explained = columns.map((column) => [
    headerOf(column),
    column.title ?? '',
    column.description ?? '',
    column.required ? 'yes' : '',
    expectedIn(column),
    column.value.multivalued ? 'several' : 'one',
    choicesOf(column.value.range).join(' | '),
  ]);
  const heading = ['Column', 'Title', 'Description', 'Required', 'Expected', 'Values', 'Choices'];
  return writeXlsx([
    { name: className, rows: [columns.map(headerOf)], columns: columns.map(columnHelp) },
    { name: HELP_SHEET, isHelp: true, rows: [heading, ...explained] },
  ]);
}

/** Describes a column for its sheet, beside the cells. */
export function columnHelp(column: Column): ColumnHelp {
  // A drop-down refuses nothing: it replaces, so it is only offered for single values.
  const choices = column.value.multivalued ? [] : choicesOf(column.value.range);
  return { title: column.title ?? column.path.join('.'), help: helpOf(column), choices };
}

/** `Required. The family name. Expected: string; several with | between them.` */
function helpOf(column: Column): string {
  const { description, required } = column;
  return [
    ...(required ? ['Required.'] : []),
    ...(description ? [description.trim().replaceAll(/\s+/g, ' ')] : []),
    `Expected: ${expectedIn(column)}.`,
  ].join(' ');
}

function expectedIn(column: Column): string {
  const { value, constraints } = column;
  const ofType = value.range.kind === 'type' ? value.range.type.constraints.pattern : undefined;
  const pattern = constraints.pattern ?? ofType;
  const choices = choicesOf(column.value.range);
  const what = choices.length > 0 ? `one of ${choices.join(', ')}` : expected(value.range);
  const form = pattern === undefined ? exampleOf(value.range) : ` that matches ${pattern}`;
  const several = isInlined(value.range)
    ? ', as a JSON list, or with | between them'
    : '; several with | between them';
  return `${what}${form}${value.multivalued ? several : isInlined(value.range) ? ' as JSON' : ''}`;
}

function isInlined(range: SlotRange): boolean {
  return range.kind === 'class' && range.inlining !== 'reference';
}

/** How values are written, by the base of their type. */
const EXAMPLES: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  datetime: '2026-01-31T12:00:00Z',
  time: '12:00:00',
  decimal: '1000.50',
  float: '0.5',
  double: '0.5',
  uri: 'https://example.org/',
};

function exampleOf(range: SlotRange): string {
  const example = range.kind === 'type' ? EXAMPLES[range.type.base] : undefined;
  return example === undefined ? '' : `, such as ${example}`;
}

function expected(range: SlotRange): string {
  if (range.kind === 'type') return range.type.name;
  if (range.kind === 'enum') return range.enum.name;
  if (range.kind === 'union') return range.alternatives.map(expected).join(' or ');
  if (range.kind !== 'class') return 'JSON';
  return range.inlining === 'reference' ? `pid or label (${range.className})` : range.className;
}
