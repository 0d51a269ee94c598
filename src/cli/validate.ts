/** `accession validate`: the checks of the service, without a service. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { text as readStream } from 'node:stream/consumers';
import { openSchema, type Schema } from '../schema/schema.ts';
import { readArea } from '../storage/read-area.ts';
import { storeAreas } from './areas.ts';
import { type Given, UsageError } from './command.ts';
import { FINDING_FORMATS, type Finding, type FindingFormat } from './offline/findings.ts';
import { type Judged, judgeText, type TextKind } from './offline/judge.ts';
import { judgeTable } from './offline/judge-table.ts';
import { describedSchema, isStore, realPath, type SourceFile, sourceFiles } from './offline/source-files.ts';
import { PROBLEMS_FOUND } from './outcome.ts';
import { counted, write } from './print.ts';
import { version } from './version.ts';

/** Run by the table of commands. */
export async function validate(given: Given): Promise<number> {
  const findings: Finding[] = [];
  let records = 0;
  const note = (judged: Pick<Judged, 'records' | 'findings'>) => {
    records += judged.records;
    for (const finding of judged.findings) findings.push({ ...finding, file: shownFile(finding.file) });
  };
  const className = given.text('class');
  for (const path of given.args) {
    if (path === '-') note(await judgeInput(given, className));
    else if (isStore(path)) for await (const judged of judgeStore(path)) note(judged);
    else for await (const judged of judgePath(path, given.text('schema'), className)) note(judged);
  }
  const format = given.text('format') as FindingFormat;
  await write(FINDING_FORMATS[format](findings, version()));
  process.stderr.write(`${counted(records, 'record')} checked, ${counted(findings.length, 'problem')}\n`);
  return findings.length > 0 ? PROBLEMS_FOUND : 0;
}

/** Files and folders, each against the schema that is given or that the folder names. */
async function* judgePath(path: string, address: string | undefined, className: string | undefined) {
  const exclude = new Set(address === undefined ? [] : [realPath(address)]);
  for (const source of sourceFiles(path, exclude)) {
    const schema = await schemaFor(source.path, address);
    yield judgeFile(source, schema, className);
  }
}

/** Judges one file of any kind. */
export function judgeFile({ path, kind }: SourceFile, schema: Schema, className?: string): Judged {
  if (kind === 'csv' || kind === 'xlsx')
    return judgeTable(path, kind, readFileSync(path), { schema, className });
  return judgeText(path, kind, readFileSync(path, 'utf8'), { schema, className });
}

async function judgeInput(given: Given, className: string | undefined): Promise<Judged> {
  const address = given.text('schema');
  if (address === undefined) throw new UsageError('Standard input needs --schema.');
  const schema = await opened(address);
  const kind = (given.text('input') ?? 'json') as TextKind;
  return judgeText('-', kind, await readStream(process.stdin), { schema, className });
}

async function* judgeStore(path: string): AsyncGenerator<Judged> {
  for (const { directory, schema: address } of await storeAreas(path)) {
    const schema = await opened(address);
    for (const { file, kind, text, className } of readArea(directory)) {
      yield judgeText(file, kind, text, { schema, className });
    }
  }
}

const schemas = new Map<string, Promise<Schema>>();

function opened(address: string): Promise<Schema> {
  const known = schemas.get(address) ?? openSchema(address);
  schemas.set(address, known);
  return known;
}

/**
 * The schema of a file: the one that is given, else the one that its folder names.
 *
 * @throws UsageError if there is none
 */
function schemaFor(path: string, given: string | undefined): Promise<Schema> {
  const address = given ?? describedSchema(path);
  if (address !== undefined) return opened(address);
  throw new UsageError(`${path}: no schema is known. Use --schema, or a .dumpthings.yaml that names one.`);
}

function shownFile(file: string): string {
  const inside = relative('.', file);
  return file === '-' || inside.startsWith('..') ? file : inside;
}
