/** A record on its way into and out of a store: what its pid resolves to, and its canonical text. */

import { canonicalJson, isJsonObject, type JsonObject, JsonSyntaxError, parseJson } from '#linkml/json.ts';
import { type Problem, ServiceError } from '../errors.ts';
import { PID, whyWithout } from '../schema/record-classes.ts';
import type { CheckOptions, Schema } from '../schema/schema.ts';
import { asDefined, asPosted, withTypeOf } from '../schema-type.ts';
import {
  type LinkLines,
  type ListedRecord,
  linkLines,
  linksIn,
  type Range,
  type RecordKey,
  type RecordStore,
  type ScanSelection,
  type Selection,
  type StoredRecord,
} from '../storage/store.ts';
import { linksOf } from './links.ts';

/** A stored record as its class defines it, for the schema: with its type only if the class has that slot. */
export function definedRecord(
  schema: Schema,
  { className, json }: Pick<StoredRecord, 'className' | 'json'>,
): JsonObject {
  const record = parseJson(json);
  return isJsonObject(record) ? asDefined(schema, className, record) : {};
}

/** Why the schema refuses a stored record. */
export function recordProblems(
  schema: Schema,
  record: Pick<StoredRecord, 'pid' | 'className' | 'json'>,
): readonly Problem[] {
  const { pid, className } = record;
  if (!schema.classes.has(className)) {
    const msg = `The schema has no class '${className}'.`;
    return [{ type: 'class_unknown', loc: [], msg, input: className }];
  }
  const problems = schemaProblems(schema, record);
  if (schema.expand(pid) !== undefined) return problems;
  const msg = `The schema has no prefix for the pid '${pid}'.`;
  return [...problems, { type: 'prefix_unknown', loc: ['pid'], msg, input: pid }];
}

/** The problems of a record, other than with its class and its pid. */
function schemaProblems(
  schema: Schema,
  record: Pick<StoredRecord, 'className' | 'json'>,
): readonly Problem[] {
  try {
    const checked = schema.check(record.className, definedRecord(schema, record));
    return checked.valid ? [] : checked.problems;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const msg = `The stored text is not JSON: ${error.message}. Restore the record from a backup.`;
    return [{ type: 'json_invalid', loc: [], msg }];
  }
}

/** Where records are read: a store, or an overlay of two. The contract is that of the store's methods. */
export type RecordView = Pick<RecordStore, 'get' | 'list' | 'count'> & {
  scan(selection: ScanSelection): AsyncIterable<ListedRecord>;
  /** The results of `list` and `count`, where they cost less together. */
  page?(selection: Selection, range: Range): Promise<{ total: number; records: ListedRecord[] }>;
  /** Throws what a scan would throw when it begins: a response has begun then. */
  ready?(): Promise<void>;
  /** The IRIs of records of the last store behind it that those of the others hide. */
  shadowed?(): Promise<readonly string[]>;
};

/** The view of an area that does not exist yet. */
export const EMPTY_VIEW: RecordView = {
  get: async () => undefined,
  list: async () => [],
  count: async () => 0,
  async *scan() {},
};

/** An object of a class that has passed the schema. */
export type CheckedRecord = { readonly className: string; readonly record: JsonObject };

/** A record as a store takes it: its key and its canonical text. */
export type RecordText = RecordKey & {
  readonly json: string;
  readonly links?: LinkLines;
  /** Whether the schema has checked exactly this record: not one that was annotated or split afterwards. */
  readonly isChecked?: boolean;
};

/** The IRIs that a record refers to, one as often as it does. */
export function* targetsOf({ links = '' }: Pick<RecordText, 'links'>): Generator<string> {
  for (const { iri } of linksIn(links)) yield iri;
}

/**
 * Checks an object against a class. It may have the `schema_type` of the class, as reads have it.
 *
 * @throws ServiceError `record_invalid` with all problems
 */
export function checkRecord(
  schema: Schema,
  className: string,
  value: JsonObject,
  options?: CheckOptions,
): CheckedRecord {
  const checked = schema.check(className, asPosted(schema, className, value), options);
  if (checked.valid) return { className, record: checked.record };
  throw new ServiceError(
    'record_invalid',
    `The object is not a valid ${className}: ${checked.problems.map(({ msg }) => msg).join('; ')}`,
    checked.problems,
  );
}

/** The longest canonical text of a record, in characters: as long as the longest body of a request. */
const LONGEST_RECORD = 10 * 2 ** 20;

/** A record may refer to others this often. Each reference is a row, and other writes wait while these are written. */
const MOST_REFERENCES = 100_000;

/** The text and the links of a checked record. The text is what reads answer: always with `schema_type` (specification 2.1). */
export function recordText(schema: Schema, { className, record }: CheckedRecord): RecordText {
  const { pid } = record;
  if (typeof pid !== 'string' || pid === '') throw pidMissing(schema, className);
  const json = canonicalJson(withTypeOf(schema, className, record));
  if (json.length > LONGEST_RECORD) {
    throw tooLarge(
      `The record ${pid.slice(0, 200)} has ${json.length} characters in its canonical form, expected at most ${LONGEST_RECORD}.`,
    );
  }
  const links = linksOf(schema, className, record, MOST_REFERENCES + 1);
  if (links.length > MOST_REFERENCES) {
    throw tooLarge(
      `The record ${pid.slice(0, 200)} refers to others more than ${MOST_REFERENCES} times. Divide it into several records.`,
    );
  }
  return { pid, iri: resolvePid(schema, pid), className, json, links: linkLines(links) };
}

function pidMissing(schema: Schema, className: string): ServiceError {
  const definition = schema.classes.get(className);
  const isNamed = definition?.identifier?.name === PID;
  const msg = !definition || isNamed ? 'expected the pid of the record.' : whyWithout(definition);
  return new ServiceError('record_invalid', `The object cannot be stored as a record: ${msg}`, [
    { type: 'missing', loc: [PID], msg },
  ]);
}

function tooLarge(msg: string): ServiceError {
  return new ServiceError('record_invalid', msg, [{ type: 'too_large', loc: [], msg }]);
}

/**
 * Resolves a pid. All that starts with `scheme://` is a URI (specification 2.1); a string without a colon names
 * no record, and resolves to itself, so that a look-up finds nothing.
 *
 * @throws ServiceError `prefix_unknown` for a CURIE whose prefix the schema does not know
 */
export function resolvePid(schema: Schema, pid: string): string {
  const iri = schema.expand(pid);
  if (iri !== undefined) return iri;
  const colon = pid.indexOf(':');
  if (colon < 0) return pid;
  const prefix = pid.slice(0, colon);
  throw new ServiceError(
    'prefix_unknown',
    `The CURIE '${pid}' cannot be resolved: the schema ${schema.id} has no prefix '${prefix}'.`,
  );
}

/**
 * Resolves a pid. A record that was stored when the schema still had the prefix is found by its pid as it was
 * stored.
 *
 * @throws ServiceError `prefix_unknown`
 */
export async function resolveIn(
  schema: Schema,
  stores: readonly RecordStore[],
  pid: string,
): Promise<string> {
  try {
    return resolvePid(schema, pid);
  } catch (error) {
    for (const store of stores) {
      const [found] = await store.list({}, { offset: await store.rank({}, pid), limit: 1 });
      if (found?.pid === pid) return found.iri;
    }
    throw error;
  }
}

/** Records that refer to another one, and perhaps others. */
export type Referrers = {
  readonly iris: ReadonlySet<string>;
  /** Whether no further record refers to it. */
  readonly isComplete: boolean;
};

/** Records that are found by what refers to them. A record that the caller does not see is not found. */
export type ReferenceSource = {
  records(iris: readonly string[]): Promise<readonly ListedRecord[]>;
  /** Of the first of some records, at least of one. */
  referrers(iris: readonly string[]): Promise<ReadonlyMap<string, Referrers>>;
};
