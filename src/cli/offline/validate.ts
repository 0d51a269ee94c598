/** `accession validate`: the checks of the service, without a service. */
import { relative } from 'node:path';
import { allLines } from '../../client/lines.ts';
import { isServiceError } from '../../core/errors.ts';
import { openSchema, type Schema, type SharedTerms } from '../../core/schema/schema.ts';
import { allFormats, isText, type TextKind } from '../file-formats.ts';
import type { ModuleFiles } from '../module.ts';
import { openStore } from '../open-store.ts';
import { complain, FAILURE, PROBLEMS_FOUND, UsageError } from '../outcome.ts';
import { countText, write } from '../print.ts';
import { textChunks } from '../utf8-text.ts';
import { FINDING_FORMATS, type Finding, type FindingFormat } from './findings.ts';
import { judgeText, type ValidationOptions, type ValidationResult } from './judge.ts';
import {
  describedSchema,
  isCounterexample,
  isStore,
  realPath,
  type SourceFile,
  sourceFiles,
} from './source-files.ts';
import { vocabulariesOf } from './vocabulary.ts';

type ValidateOptions = {
  readonly schema?: string;
  readonly class?: string;
  readonly slot?: string;
  readonly vocabulary?: readonly string[];
  readonly strict?: boolean;
  readonly identifiers?: 'resolve' | 'any';
  readonly format: FindingFormat;
  readonly input: TextKind;
};

/** The command, with the formats that modules read. */
export function validatorOf(files: readonly ModuleFiles[]) {
  return (paths: readonly string[], options: ValidateOptions) => validate(paths, options, files);
}

async function validate(
  paths: readonly string[],
  options: ValidateOptions,
  ofModules: readonly ModuleFiles[],
): Promise<number> {
  const fileOptions = fileOptionsOf(options);
  const run = {
    options,
    files: ofModules,
    fileOptions,
    terms: await vocabulariesOf(options.vocabulary ?? []),
  };
  const findings: Finding[] = [];
  const notes: string[] = [];
  const counters = { records: 0, files: 0, refused: 0 };
  for (const path of paths) {
    for await (const { file, results } of filesAt(path, run)) {
      const found: Finding[] = [];
      try {
        for await (const one of results) {
          counters.records += one.records;
          for (const finding of one.findings) found.push(finding);
          for (const note of one.notes ?? []) notes.push(note);
        }
      } catch (error) {
        found.push(unreadable(file, error));
      }
      const isExample = path === '-' || !isCounterexample(path, file);
      const unexpected = isExample ? found : judgeCounterexample(found, file);
      if (!isExample) {
        counters.files += 1;
        counters.refused += unexpected.length === 0 ? 1 : 0;
      }
      for (const finding of unexpected) findings.push({ ...finding, file: shownFile(finding.file) });
    }
  }
  await write(FINDING_FORMATS[options.format](findings));
  for (const note of notes) process.stderr.write(`note: ${note}\n`);
  const { records, files, refused } = counters;
  const counterexamples = files === 0 ? '' : `, ${refused} of ${countText(files, 'counterexample')} refused`;
  process.stderr.write(
    `${countText(records, 'record')} checked, ${countText(findings.length, 'problem')}${counterexamples}\n`,
  );
  if (records === 0 && findings.length === 0 && files === 0) {
    complain(`${paths.join(', ')}: expected records, found none.`);
    return FAILURE;
  }
  return findings.length > 0 ? PROBLEMS_FOUND : 0;
}

/** Reports a counterexample that has no problem. */
function judgeCounterexample(found: readonly Finding[], file: string): Finding[] {
  if (found.length > 0) return [];
  const message = 'Expected a problem, because the file is a counterexample, found none.';
  return [{ file, line: 1, column: 1, path: '', type: 'counterexample_valid', message }];
}

/** Reports a file that cannot be read; the others are judged nevertheless. @throws any other error */
function unreadable(file: string, error: unknown): Finding {
  if (!(isServiceError(error) && error.code === 'body_malformed')) throw error;
  const start = `${file === '-' ? 'standard input' : file}: `;
  const message = error.message.startsWith(start) ? error.message.slice(start.length) : error.message;
  return { file, line: 1, column: 1, path: '', type: error.code, message };
}

/** All options but the schema, since each file may have its own. */
type FileOptions = Omit<ValidationOptions, 'schema'>;

function fileOptionsOf({
  class: className,
  slot,
  identifiers,
  strict = false,
}: ValidateOptions): FileOptions {
  if (slot !== undefined && className === undefined) throw new UsageError('--slot needs --class.');
  const isAlone = strict || identifiers !== undefined || slot !== undefined;
  const alone = { strict, identifiers: identifiers === 'any' ? 'any' : 'resolve' } as const;
  return { className, slot, ...(isAlone && { alone }) };
}

/** A file and its findings, document by document. */
type FileResults = {
  readonly file: string;
  readonly results: AsyncIterable<ValidationResult> | Iterable<ValidationResult>;
};

/** What all files are validated with. */
type ValidationRun = {
  readonly options: ValidateOptions;
  readonly files: readonly ModuleFiles[];
  readonly fileOptions: FileOptions;
  readonly terms: SharedTerms;
};

async function* filesAt(path: string, run: ValidationRun): AsyncGenerator<FileResults> {
  const { files, fileOptions, terms } = run;
  const { schema: address, input } = run.options;
  if (path === '-') {
    if (address === undefined) throw new UsageError('Standard input needs --schema.');
    const options = { ...fileOptions, schema: await opened(address, terms) };
    yield { file: '-', results: judgeStream('-', input, textChunks('-'), options) };
  } else if (isStore(path)) {
    await using store = await openStore(path);
    const open = store.schemas(terms);
    for (const { collection, area, config, store: records } of await store.areas()) {
      const options = { ...fileOptions, schema: await open(config) };
      for await (const { pid, className, json } of records.scan({})) {
        const file = `${collection}/${area}/${pid}`;
        yield { file, results: [await judgeText(file, 'json', json, { ...options, className })] };
      }
    }
  } else {
    const exclude = new Set(address === undefined ? [] : [realPath(address)]);
    for (const source of sourceFiles(path, allFormats(files), exclude)) {
      const options = { ...fileOptions, schema: await schemaFor(source.path, address, terms) };
      yield { file: source.path, results: judgeFile(source, options, run) };
    }
  }
}

/** Judges one file of any kind. */
async function* judgeFile(
  { path, kind }: SourceFile,
  options: ValidationOptions,
  { files, options: reading }: ValidationRun,
): AsyncGenerator<ValidationResult> {
  if (isText(kind)) yield* judgeStream(path, kind, textChunks(path), options);
  const ofModule = files.find(({ formats }) => Object.hasOwn(formats, kind));
  if (ofModule) yield (await ofModule.load()).validateFile(path, kind, options, reading);
}

/** Judges what arrives; if it is a stream of documents, each when it has arrived. */
async function* judgeStream(
  file: string,
  kind: TextKind,
  chunks: AsyncIterable<string>,
  options: ValidationOptions,
): AsyncGenerator<ValidationResult> {
  if (kind !== 'ndjson' && kind !== 'yaml') {
    yield await judgeText(file, kind, (await Array.fromAsync(chunks)).join(''), options);
    return;
  }
  for await (const { text, linesBefore } of documentsOf(chunks, kind)) {
    const results = await judgeText(file, kind, text, options);
    const findings = results.findings.map((one) => ({ ...one, line: one.line + linesBefore }));
    yield { ...results, findings };
  }
}

const schemasOfRun = new WeakMap<SharedTerms, Map<string, Promise<Schema>>>();

function opened(address: string, terms: SharedTerms): Promise<Schema> {
  const schemas = schemasOfRun.get(terms) ?? new Map<string, Promise<Schema>>();
  schemasOfRun.set(terms, schemas);
  return schemas.get(address) ?? schemas.set(address, openSchema(address, { terms })).get(address)!;
}

/**
 * The schema of a file: the one that is given, else the one that its folder names.
 *
 * @throws UsageError if there is none
 */
function schemaFor(path: string, named: string | undefined, terms: SharedTerms): Promise<Schema> {
  const address = named ?? describedSchema(path);
  if (address !== undefined) return opened(address, terms);
  throw new UsageError(`${path}: no schema is known. Use --schema, or a .dumpthings.yaml that names one.`);
}

function shownFile(file: string): string {
  const inside = relative('.', file);
  return file === '-' || inside.startsWith('..') ? file : inside;
}

type StreamedDocument = {
  readonly text: string;
  /** How many lines of the stream are before it. */
  readonly linesBefore: number;
};

/** Kinds of texts that are streams: a document on each line, or documents between lines `---` (YAML 1.1, section 4.1). */
export type StreamKind = 'ndjson' | 'yaml';

/** Matches the lines before a document of YAML: directives, comments, blanks. */
const BEFORE_START = /^(?:%.*|\s*#.*|\s*)$/;

/** The documents of a stream in their order. An empty one is left out, unless it is the only one. */
export async function* documentsOf(
  chunks: AsyncIterable<string>,
  kind: StreamKind,
): AsyncGenerator<StreamedDocument> {
  let lines: string[] = [];
  let read = 0;
  let found = 0;
  const document = (): StreamedDocument[] => {
    const text = lines.join('\n');
    const linesBefore = read - lines.length;
    const isEmpty = lines.every((line) => /^(?:---)?\s*$/.test(line));
    lines = [];
    if (!isEmpty) found += 1;
    return isEmpty ? [] : [{ text, linesBefore }];
  };
  for await (const line of allLines(chunks)) {
    const isStart = kind === 'yaml' && /^---(?:\s|$)/.test(line);
    if (isStart && !lines.every((before) => BEFORE_START.test(before))) yield* document();
    const isEnd = kind === 'yaml' && /^\.\.\.(?:\s|$)/.test(line);
    lines.push(isEnd ? '' : line);
    read += 1;
    if (isEnd || kind === 'ndjson') yield* document();
  }
  yield* document();
  if (found === 0 && kind === 'yaml') yield { text: '', linesBefore: 0 };
}
