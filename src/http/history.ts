/**
 * The history of records, for curators, and of the configuration, for administrators (specification 1): who changed
 * what and when, former states, and their return.
 */
import type { AuditEntry, AuditLog } from '../audit/audit-log.ts';
import { type Difference, differences } from '../audit/record-diff.ts';
import type { Collection } from '../collections/collection.ts';
import { authenticateAdmin } from '../config/admin-token.ts';
import { CONFIGURATION_PID } from '../config/record.ts';
import { ServiceError } from '../errors.ts';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue, parseJson } from '../json.ts';
import { resolvePid } from '../records/record.ts';
import type { Schema } from '../schema/schema.ts';
import type { Administration } from './admin.ts';
import { presentedToken } from './authenticate.ts';
import { etagOf } from './etag.ts';
import { type Query, readParameters, requiredText } from './query.ts';
import { type Handler, sendJson } from './reply.ts';
import type { OpenTarget } from './targets.ts';

const pid = requiredText('the pid of a record');

/** GET of all entries of a record, oldest first. */
export function readHistory(open: OpenTarget): Handler {
  return async (request, reply) => {
    const { collection, area } = await open(request);
    await area.source();
    const { pid: given } = readParameters(request.query as Query, { pid });
    const entries = await entriesOf(collection, given);
    return sendJson(reply, canonicalJson(tell(entries)));
  };
}

/** GET of a record as it was at a time; `null` where there was none. */
export function readFormerState(open: OpenTarget): Handler {
  return async (request, reply) => {
    const { collection, area } = await open(request);
    await area.source();
    const parameters = readParameters(request.query as Query, { pid, at: moment });
    const entry = lastUntil(await entriesOf(collection, parameters.pid), parameters.at);
    return sendJson(reply, entry?.json ?? 'null');
  };
}

/**
 * POST that writes a record as it was at a time: a write like any other, validated, audited, with its entity tag.
 * Answers with the record.
 */
export function restoreFormerState(open: OpenTarget): Handler {
  return async (request, reply) => {
    const { collection, area } = await open(request);
    const sink = await area.sink('submit to');
    const parameters = readParameters(request.query as Query, { pid, at: moment });
    const entry = lastUntil(await entriesOf(collection, parameters.pid), parameters.at);
    if (entry?.json === undefined) {
      throw new ServiceError('record_missing', `There was no record '${parameters.pid}' at that time.`);
    }
    const record = parseJson(entry.json) as JsonObject;
    const texts = sink.prepare(classOf(collection, record), record, { addSubmissionTag: false });
    const [version] = await sink.write(texts);
    if (version) reply.header('etag', etagOf(version, 'json'));
    return sendJson(reply, texts[0] ? collection.typed(texts[0]) : 'null');
  };
}

/** GET of all entries of the configuration, oldest first, with every secret masked. */
export function readConfigurationHistory({ state, bootstrap }: Administration, log: AuditLog): Handler {
  return async (request, reply) => {
    authenticateAdmin(state.configuration, bootstrap, presentedToken(request.headers));
    const entries = tell(await log.history([CONFIGURATION_PID]));
    return sendJson(reply, canonicalJson(entries.map(masked)));
  };
}

/** A time in ISO 8601; without an offset it is UTC. */
function moment(text: string | undefined): { value: string } | { expected: string } {
  const expected = 'a time in ISO 8601, like 2026-05-01T12:00:00Z';
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,6})\d*)?(Z|[ +-]\d\d:?\d\d)?$/.exec(text ?? '');
  if (!match) return { expected };
  const [, seconds, fraction = '', offset = 'Z'] = match;
  const time = Date.parse(`${seconds}${offset.replace(' ', '+')}`);
  if (Number.isNaN(time)) return { expected };
  return { value: `${new Date(time).toISOString().slice(0, 19)}.${fraction.padEnd(6, '0')}+00:00` };
}

/** The last entry that was made until then; time stamps are texts that sort by time. */
function lastUntil(entries: readonly AuditEntry[], at: string): AuditEntry | undefined {
  return entries.findLast(({ timeStamp }) => timeStamp <= at);
}

function entriesOf(collection: Collection, given: string): Promise<AuditEntry[]> {
  const iri = resolvePid(collection.schema, given);
  return collection.history(iri, spellings(collection.schema, given));
}

/** Entries are kept under the pid as it was written: a CURIE, of any prefix, and its URI are one record. */
function spellings(schema: Schema, given: string): string[] {
  const iri = resolvePid(schema, given);
  const found = new Set([given, iri]);
  for (const [prefix, namespace] of schema.prefixes) {
    if (iri.startsWith(namespace)) found.add(`${prefix}:${iri.slice(namespace.length)}`);
  }
  return [...found];
}

function classOf({ schema, name }: Collection, { schema_type: type }: JsonObject): string {
  const className = typeof type === 'string' ? schema.classOfSchemaType(type) : undefined;
  if (className !== undefined) return className;
  throw new ServiceError(
    'class_unknown',
    `The record can't be restored: the schema of collection '${name}' has no class with the schema_type '${type}'.`,
  );
}

type ToldEntry = {
  readonly pid: string;
  readonly time_stamp: string;
  /** Null if another program made the change. */
  readonly committer_id: string | null;
  readonly author_id: string | null;
  readonly deleted: boolean;
  /** What differs from the entry before. */
  readonly changes: Difference[];
  /** The record after the change; null for a delete. */
  readonly record: JsonValue;
};

function tell(entries: readonly AuditEntry[]): ToldEntry[] {
  let before: JsonValue | undefined;
  return entries.map(({ pid, timeStamp, committerId, authorId, json }) => {
    const after = json === undefined ? undefined : parseJson(json);
    const changes = differences(before, after);
    before = after;
    return {
      pid,
      time_stamp: timeStamp,
      committer_id: committerId,
      author_id: authorId,
      deleted: after === undefined,
      changes,
      record: after ?? null,
    };
  });
}

/** Secrets and hashes of secrets; that one has changed still shows. */
const SECRET_KEY = 'representation';
const MASK = '***';

function masked(entry: ToldEntry): ToldEntry {
  return { ...entry, changes: entry.changes.map(maskDifference), record: mask(entry.record) };
}

function maskDifference(difference: Difference): Difference {
  const secret = difference.path.endsWith(`/${SECRET_KEY}`);
  const hide = (value: JsonValue) => (secret ? MASK : mask(value));
  return {
    ...difference,
    ...('before' in difference && { before: hide(difference.before) }),
    ...('after' in difference && { after: hide(difference.after) }),
  } as Difference;
}

function mask(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(mask);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === SECRET_KEY ? MASK : mask(inner)]),
  );
}
