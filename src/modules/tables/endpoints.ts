/** Tables, below `/-/`: the template of a class, and a CSV, XLSX or ODS file whose rows are stored as records. */
import type { FastifyReply } from 'fastify';
import { JsonText } from '#linkml/json.ts';
import type { Area } from '../../core/collections/area.ts';
import { bodyOfSchema } from '../../core/collections/documents.ts';
import { isServiceError, ServiceError } from '../../core/errors.ts';
import { bodyBytes } from '../../core/http/body.ts';
import { type Call, type Endpoint, inPath, type Json, row } from '../../core/http/endpoint.ts';
import { MOUNTS } from '../../core/http/endpoints/mounts.ts';
import {
  addSubmissionTag,
  submissionMetadataOf,
  submissionParameters,
} from '../../core/http/endpoints/record-parameters.ts';
import { jsonAnswer } from '../../core/http/endpoints/schemas.ts';
import { type Entered, type EnteredArea, enter, enterArea } from '../../core/http/enter.ts';
import { recordsIn } from '../../core/http/judge-bodies.ts';
import type { ValuesOf } from '../../core/http/parameter.ts';
import {
  choice,
  flag,
  integer,
  parameterRefused,
  shortText,
  textParameter,
  valuesOf,
} from '../../core/http/query.ts';
import { noteWritten } from '../../core/http/reads.ts';
import { replying } from '../../core/http/replying.ts';
import type { RecordText } from '../../core/records/record.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { objectOf } from '../../core/shapes.ts';
import { yielder } from '../../core/yield.ts';
import { DATE_ORDERS } from './commands/reading.ts';
import { MOST_ROWS } from './files/limits.ts';
import { type RequestTable, tableResultSchema } from './request.ts';
import { HEADER_PAIR, headerMapOf } from './rows/columns.ts';
import type { LabelEntry } from './rows/labels.ts';
import { csvTemplate, xlsxTemplate } from './rows/template.ts';
import { judgeTable, labelsIn, tableIn } from './tasks.ts';

/** In characters; those of the web have at most 19. */
const LONGEST_ENCODING = 40;

const tableParameters = {
  dry_run: flag('Check the rows and store none.', false),
  details: flag('List every row: its cells, and what it changes in the stored record.', false),
  add_submission_tag: addSubmissionTag,
  replace: flag('Replace whole records: values that the table has no column for are removed.', false),
  sheet: textParameter('Of a workbook: the sheet to read; default: the first one.'),
  header_row: integer('The number of the row with the names of the columns.', 1, 1, MOST_ROWS),
  encoding: shortText('Of CSV: its encoding, such as windows-1252; default: utf-8.', LONGEST_ENCODING),
  decimal_comma: flag('Read `1.000,50` as 1000.5.', false),
  dates: choice(
    'The order in dates like 3/4/2025; `excel`: day numbers such as 45352.',
    DATE_ORDERS,
    undefined,
  ),
  map: textParameter(
    'The slot of a column with another header, such as `Vorname=given_name`; repeated for several.',
  ),
};
const zoneTableParameters = { ...tableParameters, ...submissionParameters };
const templateParameters = {
  format: choice<keyof typeof MEDIA_TYPES>('The format of the table.', ['csv', 'xlsx'], 'csv'),
};

function parametersFor(
  area: Endpoint['area'],
): typeof tableParameters & Partial<typeof submissionParameters> {
  return area === 'curated' ? tableParameters : zoneTableParameters;
}

/** The records that have the pids of the rows may have this many characters together. */
const MOST_STORED_CHARACTERS = 5_000_000;
/** Records whose labels are read at a time, in characters. */
const LABELED_AT_ONCE = 500_000;

/** POST of a table: good rows are stored together, the faults of the others are reported by their cells. */
async function postTable(
  entered: EnteredArea,
  parameters: ValuesOf<ReturnType<typeof parametersFor>>,
  call: Call,
): Promise<JsonText> {
  const { collection, area } = entered;
  const { details, replace, sheet, header_row: headerRow, encoding, dates } = parameters;
  const map = headerMapOf(valuesOf(call, 'map'), (pair) => parameterRefused('map', pair, HEADER_PAIR));
  const reading = { sheet, headerRow, encoding, decimalComma: parameters.decimal_comma, dates, map };
  const className = inPath(call, 'class');
  const { pool } = call.service;
  const of = { schema: collection.schema, className, reading };
  const bytes = fileIn(await bodyBytes(call), call.request.headers['content-type']);
  const { table, pids, classes, labels } = await pool.run(tableIn, { ...of, bytes });
  const { records, result } = await pool.run(judgeTable, {
    ...of,
    table,
    details,
    replace,
    judging: area.submissionMode({ addSubmissionTag: parameters.add_submission_tag }),
    stored: await storedTexts(area, pids),
    labels: labels.size > 0 ? await labelsOf(call, area, collection.schema, { classes, labels }) : [],
  });
  if (!parameters.dry_run && records.length > 0)
    await area.store(await recordsIn(records), undefined, submissionMetadataOf(parameters));
  await noteWritten(call, entered);
  return new JsonText(result);
}

/** The records with the pids of rows, as far as the token may read them. */
async function storedTexts(
  area: Area,
  pids: readonly (string | undefined)[],
): Promise<(string | undefined)[]> {
  const yieldIfDue = yielder();
  const texts: (string | undefined)[] = [];
  let characters = 0;
  for (const pid of pids) {
    const found = pid === undefined ? undefined : await readable(area.read(pid));
    const json = found && !found.moved ? found.record.json : undefined;
    characters += json?.length ?? 0;
    if (characters > MOST_STORED_CHARACTERS)
      throw new ServiceError(
        'body_too_large',
        `The stored records have more than ${MOST_STORED_CHARACTERS} characters. Send the table in several parts.`,
      );
    texts.push(json);
    await yieldIfDue();
  }
  return texts;
}

/** The records that a table refers to by label, as far as the token may read them. */
async function labelsOf(
  { service }: Call,
  area: Area,
  schema: Schema,
  { classes, labels }: Pick<RequestTable, 'classes' | 'labels'>,
): Promise<LabelEntry[]> {
  const found: LabelEntry[] = [];
  let batch: Pick<RecordText, 'className' | 'json'>[] = [];
  let characters = 0;
  const readBatch = async () => {
    const entries = await service.pool.run(labelsIn, { schema, records: batch });
    found.push(...entries.filter(([label]) => labels.has(label)));
    batch = [];
    characters = 0;
  };
  for (const className of new Set([...classes].flatMap((one) => schema.descendants(one)))) {
    for await (const { json } of (await readable(area.scan({ className }))) ?? []) {
      batch.push({ className, json });
      characters += json.length;
      if (characters > LABELED_AT_ONCE) await readBatch();
    }
  }
  if (batch.length > 0) await readBatch();
  return found;
}

/** Undefined if the token may not read. */
async function readable<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isServiceError(error) && error.code === 'permission_missing') return undefined;
    throw error;
  }
}

const MEDIA_TYPES = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;

/** GET of the empty table of a class. */
function readTemplate(
  { collection }: Entered,
  { format }: ValuesOf<typeof templateParameters>,
  call: Call,
): FastifyReply {
  const className = inPath(call, 'class');
  const { schema } = collection;
  const body = bodyOfSchema(collection, `${format} template ${className}`, () =>
    format === 'csv' ? csvTemplate(schema, className) : xlsxTemplate(schema, className),
  );
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
  'text/csv': { schema: { type: 'string', minLength: 1 } },
  [MEDIA_TYPES.xlsx]: binary,
  'application/vnd.oasis.opendocument.spreadsheet': binary,
  'multipart/form-data': {
    schema: objectOf({ file: { type: 'string', format: 'binary' } }),
  },
};
const RESULT = {
  200: jsonAnswer(
    'How many rows were stored, the faults of the others, and the values that were removed.',
    tableResultSchema,
  ),
};

export const tableEndpoints: readonly Endpoint[] = [
  ...MOUNTS.map(({ kind, path }) =>
    row('POST', `/-${path}/table/{class}`, 'table', {
      tag: kind,
      area: kind,
      action: 'store',
      summary: 'Store the rows of a CSV, XLSX or ODS file as records of a class',
      description:
        'Columns are recognized by the names or titles of slots. If a record with the pid of a row exists, it keeps the values that the table has no column for (unless `replace` is true), and an empty cell removes one. Several values are separated by `|`, references are pids or labels, `a.b` is a slot of an inlined object. The valid rows that are new or change a record are stored together.',
      classWords: 'The class of all rows.',
      body: { content: TABLE },
      answers: RESULT,
      ...replying(enterArea, parametersFor(kind), postTable),
    }),
  ),
  row('GET', '/-/{collection}/table/{class}', 'table_template', {
    tag: 'user',
    summary: 'Read the empty table of a class, to be filled in',
    classWords: 'A class of the collection.',
    answers: {
      200: {
        description: 'A table with a column for each slot; required ones are marked by `*`.',
        content: { 'text/csv': { schema: { type: 'string' } }, [MEDIA_TYPES.xlsx]: binary },
      },
    },
    ...replying(enter, templateParameters, readTemplate),
  }),
];

/** A form with a file has a few fields before it. */
const MOST_PARTS = 100;

/** The content of the first part that is a file; of a body that is not multipart, the body itself. */
function fileIn(body: Buffer, contentType: string | undefined): Buffer {
  if (!/^multipart\/form-data\b/i.test(contentType ?? '')) return body;
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(contentType ?? '') ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) throw multipartMalformed('the Content-Type has no boundary');
  const line = Buffer.from(`--${boundary}`);
  let start = body.indexOf(line);
  for (let part = 0; start >= 0 && part < MOST_PARTS; part++) {
    const head = start + line.length + 2;
    const end = body.indexOf(Buffer.from(`\r\n--${boundary}`), head);
    const content = body.indexOf('\r\n\r\n', head);
    if (end < 0 || content < 0 || content > end) break;
    const headers = body.toString('utf8', head, content);
    if (/^content-disposition:.*;\s*filename\*?=/im.test(headers)) return body.subarray(content + 4, end);
    start = end + 2;
  }
  throw multipartMalformed('no part is a file');
}

function multipartMalformed(why: string): ServiceError {
  return new ServiceError('body_malformed', `The body is not a form with a file: ${why}.`);
}
