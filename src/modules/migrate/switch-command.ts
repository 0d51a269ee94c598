/**
 * `accession schema switch`: another schema for a collection of a service. Records that would not fit are reported as a
 * table, which a steward fills in and sends along.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { classUnknown } from '#linkml/generate/class-schema.ts';
import { canonicalJson, copyJson, type JsonObject, type JsonValue, parseJson } from '#linkml/json.ts';
import { serviceOf } from '../../cli/client/target.ts';
import { fileKind } from '../../cli/file-formats.ts';
import { firstOfKinds } from '../../cli/first-of-kinds.ts';
import { prepareFile } from '../../cli/new-file.ts';
import { complain, FAILURE, PROBLEMS_FOUND, reportError, UsageError } from '../../cli/outcome.ts';
import { countText, write } from '../../cli/print.ts';
import { readText } from '../../cli/utf8-text.ts';
import { ClientError, type ServiceClient } from '../../client/client.ts';
import { parseBody } from '../../client/http.ts';
import { isRelative } from '../../core/config/record.ts';
import { digestOf } from '../../core/records/condition.ts';
import { openSchema, type Schema } from '../../core/schema/schema.ts';
import { withoutType, withTypeOf } from '../../core/schema-type.ts';
import { TABLE_FORMATS } from '../tables/commands/reading.ts';
import { csvRow } from '../tables/files/csv.ts';
import { columnIndex, NOTE, shorten, type Table } from '../tables/files/table.ts';
import { type SheetText, writeXlsx } from '../tables/files/xlsx-write.ts';
import { columnNamed, columnsOf, headerOf } from '../tables/rows/columns.ts';
import { readTables } from '../tables/rows/read-table.ts';
import { type RowReader, type RowResult, rowReader, type TableFault, writeRow } from '../tables/rows/rows.ts';
import { columnHelp } from '../tables/rows/template.ts';
import { migrate, type SchemaSwitch } from './client.ts';
import { correctedBy } from './judge.ts';

type Options = {
  readonly url?: string;
  readonly dryRun?: boolean;
  readonly report?: string;
  readonly overwrite?: boolean;
  readonly corrections?: string;
  readonly force?: boolean;
};

/** A record that would not fit as it is, as a rehearsal streams it. */
type Unfit = {
  readonly pid: string;
  readonly in: string;
  readonly outcome: string;
  readonly problems: readonly { readonly msg: string }[];
  /** After the mechanical steps, if it still does not fit. */
  readonly draft?: { readonly class: string; readonly record: JsonObject };
};
/** Records that a dry run prints; a report has all of them. */
const MOST_SHOWN = 100;

const HOW_TO_GO_ON =
  '--dry-run --report FILE writes these records to a table, --corrections FILE applies it when it is filled in, and --force ' +
  'puts the schema in force although they do not fit.';

export async function schemaSwitch(name: string, address: string, options: Options): Promise<number> {
  const { dryRun, report, corrections: file, force } = options;
  prepareFile(options.report, options.overwrite);
  const service = serviceOf(options.url);
  const base = `/-/${encodeURIComponent(name)}`;
  // The service opens an address; the text of a file is sent.
  const source = existsSync(address) ? { text: readText(address) } : address;
  // The working directory of the service is another one.
  if (typeof source === 'string' && isRelative(source))
    throw new UsageError(`${source} does not exist. The service opens URLs and absolute paths.`);
  const rehearsal = await service
    .collection(name)
    .use(migrate)
    .rehearse(source)
    .catch((error: unknown) => {
      throw error instanceof ClientError ? namedFor(error, address) : error;
    });
  if (rehearsal.state === 'failed')
    throw new UsageError('The rehearsal failed: the log of the service has the reason.');
  for (const { message } of rehearsal.changes) await write(`${message}\n`);
  const { total, by_outcome } = rehearsal.summary as { total: number; by_outcome: Record<string, number> };
  const outcomes = Object.entries(by_outcome).map(([outcome, number]) => `${outcome} ${number}`);
  process.stderr.write(`${countText(total, 'record')}: ${outcomes.join(', ')}\n`);
  const { from, to: other } = rehearsal;
  const isSame = from.digest === other.digest && (typeof source !== 'string' || from.address === source);
  if (isSame && file === undefined) {
    process.stderr.write('The schema is in force already: nothing changes.\n');
    return 0;
  }
  const unfit = await unfitRecords(service, base, rehearsal.id);
  const schema = report !== undefined || file !== undefined ? await openSchema(address) : undefined;
  if (schema && report !== undefined) writeReport(report, schema, unfit);
  const corrections = schema && file !== undefined ? await readCorrections(file, schema, unfit) : {};
  if (corrections === undefined) return PROBLEMS_FOUND;
  if (dryRun) {
    const left = schema && file !== undefined ? leftUnfit(unfit, corrections, schema) : unfit;
    await printUnfit(left);
    if (file !== undefined)
      process.stderr.write(`${countText(unfit.length - left.length, 'record')} corrected by ${file}\n`);
    return left.length > 0 ? PROBLEMS_FOUND : 0;
  }
  const path = `${base}/rehearsals/${encodeURIComponent(rehearsal.id)}/switch`;
  const body = canonicalJson({ patches: true, if_valid: !force, corrections });
  const response = await service
    .send('POST', path, { body, contentType: 'application/json' })
    .catch((error: unknown) => {
      reportError(error);
      if ((error as ClientError).code === 'schema_breaks_records') complain(HOW_TO_GO_ON);
    });
  if (!response) return FAILURE;
  const { id, records, to } = parseBody(await response.text(), response) as SchemaSwitch;
  process.stderr.write(
    `The schema is in force, and ${countText(records, 'record')} changed. To undo: accession schema undo ${name} ${id}\n`,
  );
  const ofCopy = `, a copy: after an edit of ${address}, run "accession schema switch ${name} ${address}" again`;
  process.stderr.write(
    `The service reads it from ${to.address}${typeof source === 'string' ? '' : ofCopy}.\n`,
  );
  return 0;
}

/** Prints the first records with the same problems, and how many more there are. */
async function printUnfit(unfit: readonly Unfit[]): Promise<void> {
  const kinds = firstOfKinds<Unfit>();
  const nameOf = ({ in: area, pid }: Unfit) => `${area} ${pid}`;
  let shown = 0;
  for (const one of unfit) {
    const problems = one.problems.map(({ msg }) => msg).join('; ');
    if (!kinds.shows(problems, one) || shown === MOST_SHOWN) continue;
    shown += 1;
    await write(`${nameOf(one)}: ${problems}\n`);
  }
  for (const { first, more } of kinds.end().slice(0, MOST_SHOWN))
    await write(`${countText(more, 'more record')} like ${nameOf(first)}\n`);
  if (unfit.length > shown)
    process.stderr.write(`${shown} of ${countText(unfit.length, 'record')} that would not fit are listed\n`);
}

/** The error of a service that got the text of a file, with the file instead of the key of the body. */
function namedFor({ message, status, problems, ...more }: ClientError, file: string): ClientError {
  const named = (text: string) => text.replaceAll('body.schema', file);
  const found = problems.map((problem) => ({ ...problem, msg: named(problem.msg) }));
  return new ClientError(named(message), status, found, more);
}

async function unfitRecords(service: ServiceClient, base: string, id: string): Promise<Unfit[]> {
  const found: Unfit[] = [];
  for (const outcome of ['newly_invalid', 'unreachable']) {
    const path = `${base}/rehearsals/${encodeURIComponent(id)}/records`;
    const response = await service.send('GET', path, { query: { outcome } });
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    found.push(...lines.map((line) => parseJson(line) as unknown as Unfit));
  }
  return found;
}

/** The records that would not fit after corrections either, with the problems that they have then. */
function leftUnfit(
  unfit: readonly Unfit[],
  corrections: Readonly<Record<string, JsonObject>>,
  schema: Schema,
): Unfit[] {
  return unfit.flatMap((one) => {
    const correction = corrections[`${one.in} ${one.pid}`] ?? corrections[one.pid];
    if (!correction || !one.draft) return [one];
    const { class: className, record } = one.draft;
    const corrected = correctedBy(correction, { className, record }, schema);
    const checked = corrected && schema.check(corrected.className, corrected.record);
    if (!checked) return [one];
    return checked.valid ? [] : [{ ...one, problems: checked.problems }];
  });
}

/** By this column, a record that was changed after the report is not set back to what the report has. */
const DIGEST = `${NOTE}digest`;
/** A record and its submissions may need other corrections. */
const AREA = `${NOTE}area`;
/** The class that a record is to have, if not that of its sheet. */
const CLASS = `${NOTE}class`;

/** A sheet for each class, with the problems in the last column. */
function writeReport(file: string, schema: Schema, unfit: readonly Unfit[]): void {
  const byClass = Map.groupBy(
    unfit.filter(({ draft }) => draft),
    ({ draft }) => draft!.class,
  );
  const sheets = [...byClass].map(([className, records]): SheetText => {
    const columns = columnsOf(schema, className);
    const rows = records.map(({ in: area, draft, problems }) => [
      ...writeRow(draft!.record, columns),
      className,
      area,
      digestOf(canonicalJson(draft!.record)),
      problems.map(({ msg }) => msg).join(' '),
    ]);
    const header = [...columns.map(headerOf), CLASS, AREA, DIGEST, `${NOTE}problems`];
    return { name: className, rows: [header, ...rows], columns: columns.map(columnHelp) };
  });
  const kind = fileKind(file, TABLE_FORMATS);
  if (kind === 'xlsx') writeFileSync(file, writeXlsx(sheets));
  else if (kind === 'csv' && sheets.length <= 1)
    writeFileSync(file, sheets.flatMap(({ rows }) => rows.map((row) => csvRow(row))).join(''));
  else if (kind === 'csv')
    throw new UsageError(
      `--report: a CSV file has one class, found ${[...byClass.keys()].join(', ')}. Use .xlsx.`,
    );
  else throw new UsageError(`--report: expected a file with the suffix .xlsx or .csv, found '${file}'.`);
  process.stderr.write(
    `${file} has ${countText(unfit.length, 'record')} to correct; send it with --corrections ${file}\n`,
  );
}

const SUFFIXES = Object.values(TABLE_FORMATS).flatMap(({ suffixes }) => suffixes);

type Draft = NonNullable<Unfit['draft']>;
/** By pid, or by area and pid: the values of slots. */
type Corrections = Record<string, JsonObject>;

/** The corrections of a table; undefined if a row has faults, which are printed. */
async function readCorrections(
  file: string,
  schema: Schema,
  unfit: readonly Unfit[],
): Promise<Corrections | undefined> {
  const kind = fileKind(file, TABLE_FORMATS);
  if (kind === undefined)
    throw new UsageError(
      `--corrections: expected a file with one of the suffixes ${SUFFIXES.join(', ')}, found '${file}'.`,
    );
  const drafts = new Map(
    unfit.flatMap(({ pid, in: area, draft }) =>
      [pid, `${area} ${pid}`].flatMap((key) => (draft ? [[key, draft] as const] : [])),
    ),
  );
  const classes = new Set([...drafts.values()].map((draft) => draft.class));
  const only = classes.size === 1 ? [...classes][0] : undefined;
  const corrections: Corrections = {};
  const faults = new Set<string>();
  for (const { table, className = only } of await readTables(readFileSync(file), kind, schema)) {
    if (className === undefined) throw new UsageError(`${file}: name each sheet for the class of its rows.`);
    Object.assign(corrections, correctionsIn(table, className, { file, schema, drafts, faults }));
  }
  for (const fault of faults) complain(fault);
  return faults.size > 0 ? undefined : corrections;
}

/** The corrections of a sheet; what is wrong with it is added to `faults`. */
function correctionsIn(
  table: Table,
  className: string,
  {
    file,
    schema,
    drafts,
    faults,
  }: {
    readonly file: string;
    readonly schema: Schema;
    readonly drafts: ReadonlyMap<string, Draft>;
    readonly faults: Set<string>;
  },
): Corrections {
  const corrections: Corrections = {};
  const rows = [...table.rows];
  const columns = [AREA, CLASS, DIGEST].map((name) => table.header.indexOf(name));
  const [, classColumn = -1, digestColumn = -1] = columns;
  const classes = new Set([className, ...rows.map(({ cells }) => cells[classColumn]?.trim() ?? '')]);
  const readers = new Map<string, RowReader>();
  const complainOf = (fault: string) => void faults.add(`${file}: ${fault}`);
  const complainOfRow = (result: RowResult) => {
    for (const { column, message } of result.faults)
      complainOf(`${column || 'row '}${result.row}: ${message}`);
  };
  // A record and its submission may have the same pid, and records of a sheet different classes.
  const readerOf = (area: string, ofRows: string): RowReader => {
    const key = `${area} ${ofRows}`;
    const known = readers.get(key);
    if (known) return known;
    const header = headerFor(table.header, ofRows, { schema, classes });
    const reader = rowReader({ ...table, header }, { schema, className: ofRows });
    readers.set(key, reader);
    if (reader.header) complainOfRow(reader.header);
    return reader;
  };
  const { pidIn } = rowReader(table, { schema, className });
  if (rows.length === 0) readerOf('', className);
  for (const row of rows) {
    const [area = '', named = '', digest = ''] = columns.map((column) => row.cells[column]?.trim());
    const key = `${area} ${pidIn(row) ?? ''}`.trim();
    const draft = drafts.get(key);
    // Another class is named in the row, or by the sheet that the row was moved to.
    const wanted = named !== '' && named !== draft?.class ? named : className;
    if (!schema.classes.has(wanted)) {
      complainOf(`row ${row.number} (${CLASS}): ${classUnknown(schema, wanted).message}`);
      continue;
    }
    const { header, read } = readerOf(area, wanted);
    if (header) continue;
    const result = read(
      row,
      draft && copyJson(wanted === draft.class ? draft.record : withoutType(draft.record)),
    );
    complainOfRow({ ...result, faults: result.faults.map((fault) => namedAbove(fault, table, wanted)) });
    const { record } = result;
    if (!record) continue;
    if (!draft) {
      complain(`${file}: row ${row.number}: the record ${record.pid} needs no correction.`);
      continue;
    }
    if (digestColumn >= 0 && digest !== digestOf(canonicalJson(draft.record)))
      complainOf(
        `row ${row.number}: the record ${record.pid} has changed since the report was written: write another ` +
          'report with --dry-run --report FILE, and correct the record there.',
      );
    const changed = difference(withoutType(draft.record), withoutType(record));
    corrections[key] = wanted === draft.class ? changed : withTypeOf(schema, wanted, changed);
  }
  return corrections;
}

/** The header for the rows of a class, without the slots that only other classes of the sheet have: cells below them stay empty. */
function headerFor(
  header: readonly string[],
  className: string,
  { schema, classes }: { readonly schema: Schema; readonly classes: ReadonlySet<string> },
): string[] {
  const isOther = (text: string) =>
    !columnNamed(schema, className, text) && [...classes].some((one) => columnNamed(schema, one, text));
  return header.map((text) => (isOther(text) ? '' : text));
}

/** The fault of a cell that is filled in below a slot of another class, with the name of that. */
function namedAbove(fault: TableFault, { header }: Table, className: string): TableFault {
  const name = header[columnIndex(fault.column)] ?? '';
  if (fault.type !== 'column_unknown' || name === '') return fault;
  return {
    ...fault,
    message: `The class ${className} has no slot "${shorten(name)}": leave the cell empty.`,
  };
}

/** The slots that differ; null for those that are gone. */
function difference(before: JsonObject, after: JsonObject): JsonObject {
  const text = (value: JsonValue | undefined) => (value === undefined ? undefined : canonicalJson(value));
  const slots = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = slots.filter((slot) => text(before[slot]) !== text(after[slot]));
  return Object.fromEntries(changed.map((slot) => [slot, after[slot] ?? null]));
}
