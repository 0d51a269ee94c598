/** Decisions as rows of `accession_decision`: written once, and marked when they are undone. */
import { randomBytes } from 'node:crypto';
import { ServiceError } from '../errors.ts';
import { compareCodePoints, type JsonObject, parseJson } from '../json.ts';
import type { Draft, Reader, RevisionOf, Value } from '../storage/database.ts';
import { microsecondsOf, timeOf } from '../storage/times.ts';
import { claimOfContent } from './assess.ts';
import { contentUnder } from './carry.ts';
import type { Making } from './parts.ts';
import type { Submission } from './submission.ts';
import type { Content, Decision, Verdict } from './types.ts';

/** A decision without the records that it keeps. */
export type DecisionRow = {
  readonly id: string;
  /** The id of the decision that began the step. */
  readonly step: string;
  readonly iri: string;
  readonly pid: string;
  readonly class_name: string;
  readonly decision: Verdict;
  readonly label: string;
  /** By the schema of today. */
  readonly digest: string;
  readonly reason: string | null;
  readonly until: number | null;
  readonly submitter: string | null;
  readonly reviewer: string | null;
  readonly time: number;
  readonly before_revision: number | null;
  readonly after_revision: number | null;
  readonly undone_by: string | null;
  readonly undone_at: number | null;
};

/** What a decision keeps besides. Contents are null once they were forgotten. */
export type KeptContents = Pick<
  Submission,
  'edited_by' | 'submitted_at' | 'batch' | 'message' | 'answered_at' | KeptBase
> & {
  readonly submitted: string | null;
  /** The curated record before and after an accept. */
  readonly before_class: string | null;
  readonly before_json: string | null;
  readonly after_class: string | null;
  readonly after_json: string | null;
};

type KeptBase = 'base_known' | 'base_revision' | 'base_class' | 'base_json';

export type KeptDecision = DecisionRow & KeptContents;

const META: readonly (keyof DecisionRow)[] = [
  ...(['id', 'step', 'iri', 'pid', 'class_name', 'decision', 'label', 'digest', 'reason', 'until'] as const),
  ...([
    'submitter',
    'reviewer',
    'time',
    'before_revision',
    'after_revision',
    'undone_by',
    'undone_at',
  ] as const),
];
const CONTENTS: readonly (keyof KeptContents)[] = [
  ...([
    'edited_by',
    'submitted_at',
    'batch',
    'message',
    'answered_at',
    'base_known',
    'base_revision',
  ] as const),
  ...([
    'base_class',
    'base_json',
    'submitted',
    'before_class',
    'before_json',
    'after_class',
    'after_json',
  ] as const),
];

/** The columns of decisions; those of another version ($2) have what was submitted, for their digest. */
const read = (
  columns: readonly string[],
) => `SELECT ${columns.map((name) => `d.${name}`).join(', ')}, d.version,
  CASE WHEN d.version = $2 THEN NULL ELSE d.submitted END AS former,
  CASE WHEN d.version = $2 THEN NULL ELSE d.carried END AS carried`;
const ALL = 'FROM accession_decision d WHERE d.curated = $1';

type ReadRow = DecisionRow & {
  readonly version: string;
  readonly former: string | null;
  readonly carried: string | null;
};

async function select<Row extends DecisionRow = DecisionRow>(
  reader: Reader,
  making: Making,
  from: string,
  values: readonly Value[],
  columns: readonly string[] = META,
): Promise<Row[]> {
  const { parts, version } = making;
  const given = [parts.curated.area.id, version, ...values];
  const rows = await reader.read<ReadRow>(`${read(columns)} ${from}`, given);
  return rows.map(({ version: _, former, carried, ...row }) => {
    const submitted = former === null ? undefined : { className: row.class_name, json: former };
    const content = submitted && contentUnder(carried, parts.schema.digest, submitted);
    const digest = content ? claimOfContent(parts, content).digest : row.digest;
    return { ...row, digest } as unknown as Row;
  });
}

/** The decisions on some IRIs, newest first. */
export async function decisionsOn(
  reader: Reader,
  making: Making,
  iris: readonly string[],
): Promise<DecisionRow[]> {
  const { dialect } = making.parts.database;
  // Sorted here: SQLite would rather follow an index that has the order than find the few rows.
  const found = await select(reader, making, `${ALL} AND ${dialect.among('d.iri', 3)}`, [iris]);
  return found.sort((a, b) => compareCodePoints(b.id, a.id));
}

/** The decisions that are undone together with one, and what they keep. @throws ServiceError `record_missing` */
export async function stepOf(reader: Reader, making: Making, id: string): Promise<KeptDecision[]> {
  const step = '(SELECT o.step FROM accession_decision o WHERE o.curated = $1 AND o.id = $3)';
  const from = `${ALL} AND d.step = ${step} ORDER BY d.id`;
  const found = await select<KeptDecision>(reader, making, from, [id], [...META, ...CONTENTS]);
  if (found.length === 0) throw decisionMissing(id);
  return found;
}

/** Adds a decision. @param after the revision that the curated record has by it */
export function addDecision(
  draft: Draft,
  { parts, version }: Making,
  decision: DecisionRow & KeptContents,
  after: RevisionOf | number | null,
): void {
  const kept = [...META, ...CONTENTS].filter((name) => name !== 'after_revision');
  const columns = ['curated', 'version', 'after_revision', ...kept];
  const values: (Value | RevisionOf)[] = [parts.curated.area.id, version, after];
  for (const name of kept) values.push(decision[name as keyof typeof decision] as Value);
  const list = values.map((_, at) => `$${at + 1}`).join(', ');
  draft.run(`INSERT INTO accession_decision (${columns.join(', ')}) VALUES (${list})`, values);
}

/** Marks all decisions of a step as undone. */
export function markUndone(
  draft: Draft,
  { parts }: Making,
  { step, by, at }: { readonly step: string; readonly by: string; readonly at: number },
): void {
  draft.run('UPDATE accession_decision SET undone_by = $3, undone_at = $4 WHERE curated = $1 AND step = $2', [
    ...[parts.curated.area.id, step, by, at],
  ]);
}

/** The id of the newest decision; it may be another one when a transaction is committed. */
export async function newestDecisionId({ parts }: Making): Promise<string> {
  const sql = 'SELECT id FROM accession_decision WHERE curated = $1 ORDER BY id DESC LIMIT 1';
  const [row] = await parts.database.tuples<[string]>(sql, [parts.curated.area.id]);
  return row?.[0] ?? '';
}

/** An id that is greater than a former one: ids are in the order of time, also if the clock is set back. */
export function nextDecisionId(now: Date, former: string): string {
  const last = Number.parseInt(former.slice(0, 9), 36) || 0;
  const time = Math.max(now.getTime(), last);
  const serial = time === last ? Number.parseInt(former.slice(9, 13), 36) + 1 : 0;
  return `${time.toString(36).padStart(9, '0')}${serial.toString(36).padStart(4, '0')}${randomBytes(4).toString('hex')}`;
}

/** A decision as it is answered. */
export function decisionOf({ parts }: Making, row: DecisionRow): Decision {
  const etag = (revision: number | null) => (revision === null ? null : parts.etagOf('', revision));
  return {
    ...{ id: row.id, decision: row.decision, label: row.label, pid: row.pid, class: row.class_name },
    ...{ digest: row.digest, reason: row.reason, until: row.until === null ? null : timeOf(row.until) },
    ...{ submitter: row.submitter, reviewer: row.reviewer, time: timeOf(row.time), group: row.step },
    curated_before: etag(row.before_revision),
    curated_after: etag(row.after_revision),
    undone: row.undone_at === null ? null : { reviewer: row.undone_by, time: timeOf(row.undone_at) },
  };
}

export type DecisionFilter = {
  readonly iri?: string;
  readonly label?: readonly string[];
  readonly class?: readonly string[];
  readonly reviewer?: string;
  readonly submitter?: string;
  readonly decision?: readonly Verdict[];
  readonly group?: string;
  /** From this time on. */
  readonly since?: string;
  /** Before this time. */
  readonly until?: string;
};

export type DecisionPage = {
  readonly items: readonly Decision[];
  readonly total: number;
  readonly page: number;
  readonly size: number;
  readonly pages: number;
};

/** A decision with the records that it keeps. */
export type DecisionItem = Decision & {
  readonly submitted: JsonObject | null;
  readonly before: JsonObject | null;
  readonly after: JsonObject | null;
};

/** A page of decisions, newest first. They are selected in an index, since their rows are long. */
export async function listDecisions(
  reader: Reader,
  making: Making,
  filter: DecisionFilter,
  page: number,
  size: number,
): Promise<DecisionPage> {
  const { database, curated } = making.parts;
  const values: Value[] = [curated.area.id];
  const conditions = ['f.curated = $1'];
  const require = (value: Value | undefined, condition: (parameter: number) => string) => {
    if (value !== undefined) conditions.push(condition(values.push(value)));
  };
  const among = (column: string) => (parameter: number) => database.dialect.among(column, parameter);
  const micros = (time: string | undefined) => (time === undefined ? undefined : microsecondsOf(time));
  require(filter.iri, (at) => `f.iri = $${at}`);
  require(filter.label, among('f.label'));
  require(filter.class, among('f.class_name'));
  require(filter.reviewer, (at) => `f.reviewer = $${at}`);
  require(filter.submitter, (at) => `f.submitter = $${at}`);
  require(filter.decision, among('f.decision'));
  require(filter.group, (at) => `f.step = $${at}`);
  require(micros(filter.since), (at) => `f.time >= $${at}`);
  require(micros(filter.until), (at) => `f.time < $${at}`);
  const selected = `FROM accession_decision f WHERE ${conditions.join(' AND ')}`;
  const [count] = await reader.tuples<[number]>(`SELECT count(*) ${selected}`, values);
  const found = await reader.tuples<[string]>(
    `SELECT f.id ${selected} ORDER BY f.id DESC LIMIT $${values.length + 1} OFFSET $${values.length + 2}`,
    [...values, size, (page - 1) * size],
  );
  const ids = found.map(([id]) => id);
  const rows = await select(
    reader,
    making,
    `${ALL} AND ${database.dialect.among('d.id', 3)} ORDER BY d.id DESC`,
    [ids],
  );
  const total = count?.[0] ?? 0;
  const items = rows.map((row) => decisionOf(making, row));
  return { items, total, page, size, pages: Math.ceil(total / size) };
}

/** @throws ServiceError `record_missing` */
export async function readDecision(reader: Reader, making: Making, id: string): Promise<DecisionItem> {
  const [row] = await select<KeptDecision>(
    reader,
    making,
    `${ALL} AND d.id = $3`,
    [id],
    [...META, ...CONTENTS],
  );
  if (!row) throw decisionMissing(id);
  const { submitted, before_json: before, after_json: after } = row;
  return {
    ...decisionOf(making, row),
    submitted: parsed(submitted),
    before: parsed(before),
    after: parsed(after),
  };
}

function decisionMissing(id: string): ServiceError {
  return new ServiceError('record_missing', `No decision has the id '${id}'.`);
}

function parsed(json: string | null): JsonObject | null {
  return json === null ? null : (parseJson(json) as JsonObject);
}

export function jsonOf(content: Content | null | undefined): JsonObject | null {
  return parsed(content?.json ?? null);
}

/** The record that an accept stored; undefined if it was forgotten. */
export async function keptAfter(reader: Reader, { parts }: Making, id: string): Promise<Content | undefined> {
  const [row] = await reader.tuples<[string | null, string | null]>(
    'SELECT after_class, after_json FROM accession_decision WHERE curated = $1 AND id = $2',
    [parts.curated.area.id, id],
  );
  const [className, json] = row ?? [];
  return className && json ? { className, json } : undefined;
}
