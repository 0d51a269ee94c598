/**
 * Validates the text of one file of records as the service would validate a submission: the same reading, the same schema
 * check, the same rules for inlined records and prefixes. Or, if a caller says how to check, objects of any class against
 * the schema alone, as LinkML's own tools do.
 */

import { isJsonObject, type JsonObject, type JsonValue, pointerSegment } from '#linkml/json.ts';
import { readYaml, YamlError } from '#linkml/yaml/read.ts';
import { isServiceError, type Problem, ServiceError } from '../../core/errors.ts';
import { FORMATS } from '../../core/formats/formats.ts';
import { parseJsonBody } from '../../core/formats/json.ts';
import { readRecordsInYaml } from '../../core/formats/submitter.ts';
import { submit } from '../../core/records/submit.ts';
import type { CheckOptions, Schema } from '../../core/schema/schema.ts';
import { classNamedIn, SCHEMA_TYPE, schemaTypeInWords } from '../../core/schema-type.ts';
import type { TextKind } from '../file-formats.ts';
import type { Finding } from './findings.ts';
import { type Location, locator, START } from './locate.ts';
import { classInName, classInPath } from './source-files.ts';

export type ValidationResult = {
  /** How many records were read. */
  readonly records: number;
  readonly findings: readonly Finding[];
  /** Facts that only a service can find out. */
  readonly notes?: readonly string[];
};

export type ValidationOptions = {
  readonly schema: Schema;
  /** The class of records that do not say it themselves, by folder or `schema_type`. */
  readonly className?: string;
  /** How objects are checked against the schema alone; without it, they are submissions. */
  readonly alone?: CheckOptions;
  /** The slot of the class whose values are judged, instead of its objects. */
  readonly slot?: string;
};

/** A record of a file, to be read when its turn comes. */
type SourceItem = {
  readonly read: () => JsonValue | Promise<JsonValue>;
  /** Puts a path within the record at a location in the file. */
  readonly locate: (path: readonly (string | number)[]) => Location;
};

/** Judges all records of a file, or of one line of NDJSON. Problems are findings; nothing is thrown for a wrong record. */
export async function judgeText(
  file: string,
  kind: TextKind,
  text: string,
  options: ValidationOptions,
): Promise<ValidationResult> {
  const findings: Finding[] = [];
  let records = 0;
  const named = options.className ?? classOfFile(file, options);
  const reading: CheckOptions = kind === 'ndjson' || kind === 'json' ? {} : { timestamps: 'refuse' };
  for (const item of sourceItems(kind, text, named, options)) {
    records += 1;
    let pid: string | undefined;
    try {
      const value = await item.read();
      if (isJsonObject(value) && typeof value.pid === 'string') pid = value.pid;
      if (options.alone) judgeAlone(value, named, options, { ...reading, ...options.alone });
      else {
        const record = asObject(value);
        submit(options.schema, named ?? classInRecord(record, options.schema), record, undefined, reading);
      }
    } catch (error) {
      for (const { problem, at } of locatedProblems(error, item)) {
        findings.push({ file, ...at, ...(pid !== undefined && { pid }), ...problem });
      }
    }
  }
  return { records, findings };
}

/** The class that a folder on the path of a file is named for, else the file itself. */
function classOfFile(file: string, { schema, alone }: ValidationOptions): string | undefined {
  const folder = classInPath(file, (name) => schema.recordClasses.includes(name));
  return folder ?? (alone && classInName(file, (name) => schema.classes.has(name)));
}

/** @throws ServiceError `record_invalid` with all problems */
function judgeAlone(
  value: JsonValue,
  named: string | undefined,
  { schema, slot }: ValidationOptions,
  options: CheckOptions,
): void {
  const className =
    named ?? (isJsonObject(value) ? classNamedIn(schema, value) : undefined) ?? treeRoot(schema);
  if (className === undefined) throw recordClassUnknown(value);
  const checked =
    slot === undefined
      ? schema.check(className, value, options)
      : schema.checkSlot(className, slot, value, options);
  if (!checked.valid) throw new ServiceError('record_invalid', 'The object is not valid.', checked.problems);
}

/** The class of objects that name none, as LinkML's tools choose it. */
function treeRoot({ classes }: Schema): string | undefined {
  const roots = [...classes.values()].filter((one) => one.treeRoot);
  return roots.length === 1 ? roots[0]!.name : undefined;
}

function* sourceItems(
  kind: TextKind,
  text: string,
  className: string | undefined,
  { schema, slot, alone }: ValidationOptions,
): Generator<SourceItem> {
  if (kind === 'ttl' || kind === 'jsonld' || kind === 'nq') {
    const read = () => {
      if (className === undefined) throw recordClassUnknown(null);
      return FORMATS[kind].parse(text, className, schema);
    };
    yield { read, locate: () => START };
    return;
  }
  const places = locator(text);
  let value: JsonValue;
  try {
    // LinkML's own tools refuse what only Python writes.
    const readInYaml = alone ? readYaml : readRecordsInYaml;
    value = kind === 'yaml' ? readInYaml(text, { duplicateKeys: 'refuse' }) : parseJsonBody(text);
  } catch (error) {
    const rethrow = () => {
      throw error;
    };
    yield { read: rethrow, locate: () => places.fault(error) ?? START };
    return;
  }
  // The value of a slot may be an array itself, and a line is one record.
  if (!Array.isArray(value) || slot !== undefined || kind === 'ndjson') {
    yield { read: () => value, locate: slot === undefined ? places.of : ([, ...path]) => places.of(path) };
    return;
  }
  for (const [index, inner] of value.entries()) {
    yield { read: () => inner, locate: (path) => places.of([index, ...path]) };
  }
}

function asObject(value: JsonValue): JsonObject {
  if (isJsonObject(value)) return value;
  const msg = 'Expected a record, a mapping of slots to values.';
  throw new ServiceError('body_malformed', msg, [{ type: 'object_expected', loc: [], msg }]);
}

function classInRecord(record: JsonObject, schema: Schema): string {
  const className = classNamedIn(schema, record);
  if (className === undefined) throw recordClassUnknown(record);
  return className;
}

function recordClassUnknown(value: JsonValue): ServiceError {
  const type = schemaTypeInWords(isJsonObject(value) ? value : {});
  const msg = `The class of the record is unknown: it has ${type}, and no folder on its path is named for a class. Use --class.`;
  return new ServiceError('class_unknown', msg, [{ type: 'class_unknown', loc: [SCHEMA_TYPE], msg }]);
}

type LocatedProblem = { readonly problem: Pick<Finding, 'path' | 'type' | 'message'>; readonly at: Location };

function locatedProblems(error: unknown, item: SourceItem): LocatedProblem[] {
  if (error instanceof YamlError) {
    const msg = error.message.replace(/^line \d+, column \d+: /, '');
    return [located({ type: 'yaml_invalid', loc: [], msg: sentence(msg) }, item)];
  }
  if (!isServiceError(error)) throw error;
  const { problems, message, code } = error;
  if (problems.length > 0 && code !== 'body_malformed')
    return problems.map((problem) => located(problem, item));
  const type = problems[0]?.type ?? code;
  const [, line, column] = /line (\d+), column (\d+)/.exec(message) ?? [];
  const one = located({ type, loc: [], msg: message }, item);
  return [line === undefined ? one : { ...one, at: { line: Number(line), column: Number(column) } }];
}

function located(problem: Problem, item: SourceItem): LocatedProblem {
  const { type, loc, msg } = problem;
  const path = loc.map((key) => `/${pointerSegment(String(key))}`).join('');
  return { problem: { path, type, message: msg }, at: item.locate(loc) };
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
