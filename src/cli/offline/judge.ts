/**
 * Validates the text of one file of records as the service would validate a submission: the same reading, the same schema
 * check, the same rules for inlined records and prefixes.
 */

import { type Problem, ServiceError } from '../../errors.ts';
import { FORMATS } from '../../formats/formats.ts';
import { parseJsonBody } from '../../formats/json.ts';
import { isJsonObject, type JsonObject, type JsonValue, pointerSegment } from '../../json.ts';
import type { RecordText } from '../../records/record.ts';
import { submit } from '../../records/submit.ts';
import type { Schema } from '../../schema/schema.ts';
import { classNamedIn, SCHEMA_TYPE, schemaTypeInWords } from '../../schema-type.ts';
import { type Location, locator, START } from '../../yaml/locate.ts';
import { readYaml, YamlError } from '../../yaml/read.ts';
import type { Finding } from './findings.ts';
import { classInPath, type FileKind } from './source-files.ts';

export type Judged = {
  /** How many records were read. */
  readonly records: number;
  readonly findings: readonly Finding[];
  /** The records of the file that are valid, inlined ones too. */
  readonly texts: readonly RecordText[];
};

export type JudgeOptions = {
  readonly schema: Schema;
  /** The class of records that do not say it themselves, by folder or `schema_type`. */
  readonly className?: string;
};

/** A record of a file, to be read when its turn comes. */
type SourceItem = {
  readonly read: () => JsonObject;
  /** Puts a path within the record at a location in the file. */
  readonly locate: (path: readonly (string | number)[]) => Location;
};

/** Kinds of files that are text; tables have their own reader. */
export type TextKind = Exclude<FileKind, 'csv' | 'xlsx'>;

/** Judges all records of a file. Problems are findings; nothing is thrown for a wrong record. */
export function judgeText(file: string, kind: TextKind, text: string, options: JudgeOptions): Judged {
  const findings: Finding[] = [];
  const texts: RecordText[] = [];
  let records = 0;
  const folder = classInPath(file, (name) => options.schema.recordClasses.includes(name));
  for (const item of sourceItems(kind, text, options.className ?? folder, options.schema)) {
    records += 1;
    let pid: string | undefined;
    try {
      const record = item.read();
      if (typeof record.pid === 'string') pid = record.pid;
      const className = options.className ?? folder ?? classInRecord(record, options.schema);
      texts.push(...submit(options.schema, className, record));
    } catch (error) {
      for (const { problem, at } of locatedProblems(error, item)) {
        findings.push({ file, ...at, ...(pid !== undefined && { pid }), ...problem });
      }
    }
  }
  return { records, findings, texts };
}

function* sourceItems(
  kind: TextKind,
  text: string,
  className: string | undefined,
  schema: Schema,
): Generator<SourceItem> {
  if (kind === 'ndjson') {
    for (const [index, line] of text.split('\n').entries()) {
      if (line.trim() === '') continue;
      const inner = locator(line);
      yield {
        read: () => asObject(parseJsonBody(line)),
        locate: (path) => ({ line: index + 1, column: inner.of(path).column }),
      };
    }
    return;
  }
  if (kind === 'ttl') {
    const read = () => {
      if (className === undefined) throw recordClassUnknown({});
      return FORMATS.ttl.parse(text, className, schema);
    };
    yield { read, locate: () => START };
    return;
  }
  const places = locator(text);
  let value: JsonValue;
  try {
    value = kind === 'json' ? parseJsonBody(text) : readYaml(text);
  } catch (error) {
    const rethrow = () => {
      throw error;
    };
    yield { read: rethrow, locate: () => places.fault(error) ?? START };
    return;
  }
  if (!Array.isArray(value)) {
    yield { read: () => asObject(value), locate: places.of };
    return;
  }
  for (const [index, inner] of value.entries()) {
    yield { read: () => asObject(inner), locate: (path) => places.of([index, ...path]) };
  }
}

function asObject(value: JsonValue): JsonObject {
  if (isJsonObject(value)) return value;
  const msg = 'Expected a record, a mapping of slots to values.';
  throw new ServiceError('body_malformed', msg, [{ type: 'object_expected', loc: [], msg }]);
}

/** The class that a record names itself. */
function classInRecord(record: JsonObject, schema: Schema): string {
  const className = classNamedIn(schema, record);
  if (className === undefined) throw recordClassUnknown(record);
  return className;
}

function recordClassUnknown(record: JsonObject): ServiceError {
  const msg = `The class of the record is unknown: it has ${schemaTypeInWords(record)}, and no folder on its path is named for a class. Use --class.`;
  return new ServiceError('class_unknown', msg, [{ type: 'class_unknown', loc: [SCHEMA_TYPE], msg }]);
}

type Located = { readonly problem: Pick<Finding, 'path' | 'type' | 'message'>; readonly at: Location };

function locatedProblems(error: unknown, item: SourceItem): Located[] {
  if (error instanceof YamlError) {
    const msg = error.message.replace(/^line \d+, column \d+: /, '');
    return [located({ type: 'yaml_invalid', loc: [], msg: sentence(msg) }, item)];
  }
  if (!(error instanceof ServiceError)) throw error;
  const { problems, message, code } = error;
  if (problems.length > 0 && code !== 'body_malformed')
    return problems.map((problem) => located(problem, item));
  const type = problems[0]?.type ?? code;
  const [, line, column] = /line (\d+), column (\d+)/.exec(message) ?? [];
  const one = located({ type, loc: [], msg: message }, item);
  return [line === undefined ? one : { ...one, at: { line: shift(one.at, line), column: Number(column) } }];
}

/** A line that a message counts within an item; an item of a line-based file has but one. */
function shift(at: Location, line: string): number {
  return line === '1' ? at.line : Number(line);
}

function located(problem: Problem, item: SourceItem): Located {
  const { type, loc, msg } = problem;
  const path = loc.map((key) => `/${pointerSegment(String(key))}`).join('');
  return { problem: { path, type, message: msg }, at: item.locate(loc) };
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}
