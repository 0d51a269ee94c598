/** Validates a table of records: each fault is located by row and column. */
import { basename, extname } from 'node:path';
import { classUnknown } from '#linkml/generate/class-schema.ts';
import type { JsonObject } from '#linkml/json.ts';
import type { Finding } from '../../../cli/offline/findings.ts';
import type { ValidationOptions, ValidationResult } from '../../../cli/offline/judge.ts';
import { isServiceError, type Problem, ServiceError } from '../../../core/errors.ts';
import { submit } from '../../../core/records/submit.ts';
import type { Checked, Schema } from '../../../core/schema/schema.ts';
import type { TableFormat } from '../commands/reading.ts';
import { FILE_LIMITS, TableError } from '../files/limits.ts';
import { columnIndex, shorten, type Table } from '../files/table.ts';
import type { FindLabel } from './cells.ts';
import { Labels } from './labels.ts';
import { type ClassTable, classCalled, readTables, type TableReading } from './read-table.ts';
import { type ReadOptions, readRows, type TableFault } from './rows.ts';

type TableValidation = ValidationOptions & {
  /** How tables are read. */
  readonly table?: TableReading;
};

/** Notes of a file that a command prints: a column of cut numbers has one in each row. */
export const MOST_NOTES_SHOWN = 100;

/** Judges the rows of a file. */
export async function validateTable(
  file: string,
  kind: TableFormat,
  bytes: Uint8Array,
  options: TableValidation,
): Promise<ValidationResult> {
  const { schema, alone } = options;
  const findings: Finding[] = [];
  // The service may have records that the file does not: any reference will do.
  const noted = new Set<string>();
  const unknown: FindLabel = (label, of) => {
    noted.add(`No ${of} of this file has the pid or label "${label}": only a service knows its records.`);
    return [ANY_PID];
  };
  let records = 0;
  for (const { table, options: reading } of await tablesOf(file, kind, bytes, { ...options, unknown })) {
    const { className } = reading;
    let hasHeader = true;
    for (const { row, record, faults, notes = [] } of readRows(table, reading)) {
      for (const { column, header, value, message } of notes)
        noted.add(`${column}${row} (${header}): ${value}: ${message}`);
      // Rows below a refused header have faults, but they do not become records.
      if (row === table.headerRow) hasHeader = false;
      if (hasHeader) records += 1;
      if (record && !alone) submit(schema, className, record);
      for (const fault of faults) findings.push(finding(file, row, fault));
    }
  }
  const notes = [...noted].slice(0, MOST_NOTES_SHOWN);
  if (noted.size > notes.length) notes.push(`… and ${noted.size - notes.length} more`);
  return { records, findings, notes: notes.map((message) => `${file}: ${message}`) };
}

/** Stands for a record that only a service knows. */
const ANY_PID = 'https://w3id.org/linkml/Any';

/** A table, and how its rows are read. */
export type OpenTable = { readonly table: Table; readonly options: ReadOptions };

/**
 * The tables of a file with their classes. References may use the labels of records in the same file, and of those that
 * the caller knows.
 *
 * @throws ServiceError `body_malformed`, `class_unknown`
 */
export async function tablesOf(
  file: string,
  kind: TableFormat,
  bytes: Uint8Array,
  {
    schema,
    className,
    alone,
    findLabel,
    unknown,
    table: locale = {},
  }: TableValidation & { readonly findLabel?: FindLabel; readonly unknown?: FindLabel },
): Promise<readonly OpenTable[]> {
  const own = new Labels(schema);
  const named = await reading(file, async () => {
    const tables = await readTables(bytes, kind, schema, FILE_LIMITS, locale);
    const named = tables.map((one) => ({ ...one, className: tableClass(file, one, schema, className) }));
    // All rows are read once here, so that a file that is not a table is refused before any of its rows is used.
    for (const one of named) own.addTable(one.table, one.className, locale, locale.map);
    return named;
  });
  const find: FindLabel = (label, of) => {
    const known = new Set([...own.find(label, of), ...(findLabel?.(label, of) ?? [])]);
    return known.size > 0 ? [...known] : (unknown?.(label, of) ?? []);
  };
  return named.map(({ className: of, table }) => ({
    table,
    options: {
      schema,
      className: of,
      findLabel: find,
      locale,
      map: locale.map,
      judge: (record) => (alone ? problemsAlone(schema.check(of, record, alone)) : judge(schema, of, record)),
    },
  }));
}

async function reading<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    throw new ServiceError('body_malformed', `${file}: ${error.message}`);
  }
}

function problemsAlone(checked: Checked): readonly Problem[] {
  return checked.valid ? [] : checked.problems;
}

/** Checks a submission beyond its schema: prefixes and inlined records. */
function judge(schema: Schema, className: string, record: JsonObject): readonly Problem[] {
  try {
    submit(schema, className, record);
    return [];
  } catch (error) {
    if (!isServiceError(error)) throw error;
    if (error.problems.length > 0) return error.problems;
    return [{ type: error.code, loc: ['pid'], msg: error.message }];
  }
}

/** The class that is given, that the sheet is named for, or that the file is named for: `Person.csv`, `Person.rejected.csv`. */
function tableClass(
  file: string,
  { className, table: { name } }: ClassTable,
  schema: Schema,
  classOption: string | undefined,
): string {
  const ofFile = basename(file, extname(file)).replace(/\.rejected(-\d+)?$/, '');
  if (classOption !== undefined && !schema.classes.has(classOption)) throw classUnknown(schema, classOption);
  const found = classOption ?? className ?? classCalled(ofFile, schema);
  if (found !== undefined) return found;
  throw new ServiceError(
    'class_unknown',
    name === undefined
      ? `${file}: the class of the rows is unknown. Use --class, or name the file for the class.`
      : `${file}: the class of the rows in the sheet "${shorten(name)}" is unknown. Use --class, name the sheet for the class, or read another one with --sheet.`,
  );
}

function finding(file: string, row: number, { column, header, value, type, message }: TableFault): Finding {
  const cell = column === '' ? `row ${row}` : `${column}${row}${header ? ` (${header})` : ''}`;
  return {
    file,
    line: row,
    column: Math.max(1, columnIndex(column) + 1),
    path: header === '' ? '' : `/${header.replace(/\*$/, '').split('.').join('/')}`,
    type,
    message: `${cell}: ${withValue(message, value)}`,
  };
}

/** A message, with the value if it does not quote it. */
export function withValue(message: string, value: string): string {
  const shown = JSON.stringify(value.slice(0, 80));
  return value === '' || message.includes(shown.slice(1, -1)) ? message : `${message} Found ${shown}.`;
}
