/** Tables, below `/-/`: the template of a class, and a CSV or XLSX file whose rows are stored as records. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Area } from '../../collections/area.ts';
import type { Collection } from '../../collections/collection.ts';
import { ServiceError } from '../../errors.ts';
import { type JsonObject, parseJson } from '../../json.ts';
import type { RecordText } from '../../records/record.ts';
import { Labels } from '../../tables/labels.ts';
import { readTables, type TableFormat } from '../../tables/read-table.ts';
import {
  classesByLabel,
  type ReadOptions,
  type Removal,
  type RowResult,
  readRows,
  rowReader,
  type TableFault,
} from '../../tables/rows.ts';
import { REQUEST_LIMITS, type Table, TableError, type TableRow, TableTooLarge } from '../../tables/table.ts';
import { csvTemplate, xlsxTemplate } from '../../tables/template.ts';
import type { Call, Endpoint, Json } from '../endpoint.ts';
import { enter, enterArea } from '../enter.ts';
import { fileIn } from '../multipart.ts';
import { choice, flag, parametersOf } from '../query.ts';
import { sendJson } from '../reply.ts';
import { MOUNTS } from './mounts.ts';
import { addSubmissionTag } from './records.ts';
import { jsonAnswer } from './schemas.ts';

const tableParameters = {
  dry_run: flag('Check the rows and store none.', false),
  add_submission_tag: addSubmissionTag,
};
const templateParameters = {
  format: choice<TableFormat>('The format of the table.', ['csv', 'xlsx'], 'csv'),
};

/** Other requests get their turn after this many rows. */
const ROWS_AT_ONCE = 50;
/** A table of one request may have this many rows. */
const MOST_TABLE_ROWS = 5000;
/** The records that have the pids of the rows may have this many characters together. */
const MOST_STORED_CHARACTERS = 5_000_000;
/** The most faults that are listed. */
const MOST_TABLE_FAULTS = 10_000;
/** The most removed values that are listed. */
const MOST_REMOVALS = 1000;

/** POST of a table: good rows are stored together, the faults of the others are reported by their cells. */
async function postTable(call: Call): Promise<FastifyReply> {
  try {
    return await storeTable(call);
  } catch (error) {
    if (error instanceof TableTooLarge)
      throw new ServiceError('body_too_large', `${error.message} Send the table in several parts.`);
    if (!(error instanceof TableError)) throw error;
    throw new ServiceError('body_malformed', `The body is not a table: ${error.message}`);
  }
}

async function storeTable(call: Call): Promise<FastifyReply> {
  const { collection, area } = await enterArea(call);
  const { dry_run: dryRun, add_submission_tag } = parametersOf(call, tableParameters);
  const { class: className } = call.request.params as { class: string };
  const table = await readBody(call, collection);
  const options = { schema: collection.schema, className };
  const findLabel = await labelsFor(area, collection, table, options);
  const texts: RecordText[] = [];
  const faults: TableFault[] = [];
  const report = (found: TableFault) => {
    faultCount += 1;
    if (faultCount <= MOST_TABLE_FAULTS) faults.push(found);
  };
  const removals: Removal[] = [];
  let faultCount = 0;
  let removed = 0;
  let rows = 0;
  let stored = 0;
  for await (const read of rowsOver(area, table, { ...options, findLabel })) {
    const { row, record } = read;
    rows += 1;
    if (rows % ROWS_AT_ONCE === 0) await nextTurn();
    read.faults.forEach(report);
    if (!record) continue;
    const result = await validated(area, className, record, add_submission_tag);
    if (Array.isArray(result)) {
      texts.push(...result);
      stored += 1;
      removed += read.removed.length;
      removals.push(...read.removed.slice(0, MOST_REMOVALS - removals.length));
    } else report({ row, column: '', header: '', value: '', ...result });
  }
  if (faultCount > faults.length) faults.push(moreFaults(faults, faultCount));
  if (!dryRun && texts.length > 0) await area.store(texts);
  const result = { rows, stored, refused: rows - stored, faults, removed, removals };
  return sendJson(call.reply, JSON.stringify(result));
}

/** The rows of a table, read over the records that have their pids. */
async function* rowsOver(area: Area, table: Table, options: ReadOptions): AsyncGenerator<RowResult> {
  const reader = rowReader(table, options);
  if (reader.header) {
    yield reader.header;
    return;
  }
  let characters = 0;
  for (const row of table.rows) {
    const json = await storedText(area, reader.pidIn(row));
    characters += json?.length ?? 0;
    if (characters > MOST_STORED_CHARACTERS)
      throw new TableTooLarge(`The stored records have more than ${MOST_STORED_CHARACTERS} characters.`);
    yield reader.read(row, json === undefined ? undefined : (parseJson(json) as JsonObject));
  }
}

/** The record with a pid, if there is one that the token may read. */
async function storedText(area: Area, pid: string | undefined): Promise<string | undefined> {
  try {
    const found = pid === undefined ? undefined : await area.read(pid);
    return found && !found.moved ? found.record.json : undefined;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'permission_missing') return undefined;
    throw error;
  }
}

/** The table of the body, with all of its rows. @throws TableError */
async function readBody(call: Call, collection: Collection): Promise<Table> {
  const { service, request, reply } = call;
  const body = await service.bodies.read(request, reply);
  const bytes = fileIn(body, request.headers['content-type']);
  if (bytes.length === 0) throw new ServiceError('body_malformed', 'The request has no body.');
  const format: TableFormat = bytes.toString('latin1', 0, 2) === 'PK' ? 'xlsx' : 'csv';
  const [first] = readTables(bytes, format, collection.schema, REQUEST_LIMITS);
  if (!first) throw new TableError('The workbook has no sheet.');
  const rows: TableRow[] = [];
  for (const row of first.table.rows) {
    if (rows.length === MOST_TABLE_ROWS)
      throw new TableTooLarge(`The table has more than ${MOST_TABLE_ROWS} rows.`);
    rows.push(row);
  }
  return { ...first.table, rows };
}

/** Stands for the faults that are not listed. */
function moreFaults(listed: readonly TableFault[], count: number): TableFault {
  const message = `${count - listed.length} more faults are not listed.`;
  return { row: listed.at(-1)!.row, column: '', header: '', value: '', type: 'more_problems', message };
}

async function validated(
  area: Area,
  className: string,
  record: JsonObject,
  addSubmissionTag: boolean,
): Promise<RecordText[] | Pick<TableFault, 'type' | 'message'>> {
  try {
    return await area.validate(className, record, { addSubmissionTag });
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { type: error.problems[0]?.type ?? error.code, message: error.message };
  }
}

/** The labels that a table uses: records of a class are only read if one of them is referred to by label. */
async function labelsFor(area: Area, collection: Collection, table: Table, options: ReadOptions) {
  const { schema } = collection;
  const labels = new Labels(schema);
  const wanted = classesByLabel(table, options);
  if (wanted.size === 0) return labels.find;
  let rows = 0;
  for (const { record } of readRows(table, options)) {
    rows += 1;
    if (rows % ROWS_AT_ONCE === 0) await nextTurn();
    if (record) labels.add(options.className, record);
  }
  for (const className of wanted) {
    for (const of of schema.descendants(className)) {
      for await (const { json } of await readable(area, of)) labels.add(of, parseJson(json) as JsonObject);
    }
  }
  return labels.find;
}

/** The records of a class, as far as the token may read them. */
async function readable(
  area: Area,
  className: string,
): Promise<AsyncIterable<RecordText> | readonly RecordText[]> {
  try {
    return await area.scan({ className });
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'permission_missing') return [];
    throw error;
  }
}

const MEDIA_TYPES = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

/** GET of the empty table of a class. */
async function readTemplate(call: Call): Promise<FastifyReply> {
  const { collection } = await enter(call);
  const { format } = parametersOf(call, templateParameters);
  const { class: className } = call.request.params as { class: string };
  const body =
    format === 'csv'
      ? csvTemplate(collection.schema, className)
      : Buffer.from(xlsxTemplate(collection.schema, className));
  return call.reply
    .header('content-type', MEDIA_TYPES[format])
    .header(
      'content-disposition',
      `attachment; filename*=UTF-8''${encodeURIComponent(`${className}.${format}`)}`,
    )
    .send(body);
}

const binary = { schema: { type: 'string', format: 'binary' } };
const TABLE: Json = {
  'text/csv': { schema: { type: 'string' } },
  [MEDIA_TYPES.xlsx]: binary,
  'multipart/form-data': {
    schema: {
      type: 'object',
      properties: { file: { type: 'string', format: 'binary' } },
      required: ['file'],
    },
  },
};
const cell = {
  row: { type: 'integer', description: 'The number of the row, as spreadsheet programs show it.' },
  column: { type: 'string', description: 'The letters of the column; empty for the row as a whole.' },
  header: { type: 'string' },
} as const;
const faultSchema = {
  title: 'A fault of a table',
  type: 'object',
  properties: {
    ...cell,
    value: { type: 'string', description: 'The text of the cell.' },
    type: { type: 'string', description: 'The kind of fault, for programs.' },
    message: { type: 'string' },
  },
  required: ['row', 'column', 'header', 'value', 'type', 'message'],
} as const;
const removalSchema = {
  title: 'A value that an empty cell removes',
  type: 'object',
  properties: { ...cell, value: { type: 'string', description: 'The value of the stored record.' } },
  required: ['row', 'column', 'header', 'value'],
} as const;
export const tableResultSchema = {
  type: 'object',
  properties: {
    rows: { type: 'integer' },
    stored: { type: 'integer' },
    refused: { type: 'integer' },
    faults: { type: 'array', items: faultSchema },
    removed: {
      type: 'integer',
      description: 'The number of values that empty cells remove from stored records.',
    },
    removals: { type: 'array', items: removalSchema, description: 'The first 1,000 of them.' },
  },
  required: ['rows', 'stored', 'refused', 'faults', 'removed', 'removals'],
} as const;
const RESULT = {
  200: jsonAnswer(
    'How many rows were stored, the faults of the others, and the values that were removed.',
    tableResultSchema,
  ),
};

/** The endpoints of tables. */
export const tableEndpoints: readonly Endpoint[] = [
  ...MOUNTS.map(
    ({ kind, path, token }): Endpoint => ({
      method: 'POST',
      path: `/-${path}/table/{class}`,
      id: 'table',
      tag: kind,
      area: kind,
      action: 'store',
      token,
      summary: 'Store the rows of a CSV or XLSX file as records of a class',
      description:
        'Columns are recognized by the names or titles of slots. If a record with the pid of a row exists, it keeps the values that the table has no column for, and an empty cell removes one. Several values are separated by `|`, references are pids or labels, `a.b` is a slot of an inlined object. The valid rows are stored together.',
      classWords: 'The class of all rows.',
      query: tableParameters,
      body: { content: TABLE },
      answers: RESULT,
      handle: postTable,
    }),
  ),
  {
    method: 'GET',
    path: '/-/{collection}/table/{class}',
    id: 'table_template',
    tag: 'user',
    token: 'optional',
    summary: 'Read the empty table of a class, to be filled in',
    classWords: 'A class of the collection.',
    query: templateParameters,
    answers: {
      200: {
        description: 'A table with a column for each slot; required ones are marked by `*`.',
        content: { 'text/csv': { schema: { type: 'string' } }, [MEDIA_TYPES.xlsx]: binary },
      },
    },
    handle: readTemplate,
  },
];
