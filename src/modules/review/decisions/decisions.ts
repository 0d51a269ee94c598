/** Decisions as rows of `accession_decision`: written once, and marked when they are undone. */
import { randomBytes } from 'node:crypto';
import { fold } from '#linkml/folding.ts';
import { compareCodePoints, JsonText } from '#linkml/json.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { Shape } from '../../../core/shapes.ts';
import type { Draft, RevisionOf } from '../../../core/storage/database.ts';
import type { Value } from '../../../core/storage/dialect.ts';
import type { Reader } from '../../../core/storage/reader.ts';
import { microsecondsOf, timeOf } from '../../../core/storage/times.ts';
import { yielder } from '../../../core/yield.ts';
import type { ReviewContext } from '../parts.ts';
import { type Conditions, oneOf, statement, whereOf } from '../queue/filter.ts';
import { wordsOf } from '../queue/words.ts';
import type { decisionItemSchema, decisionPageSchema } from '../schemas.ts';
import type { DecisionKind } from '../states.ts';
import type { Decision, WithTexts } from '../types.ts';
import { contentUnder } from './carry.ts';
import type { Content } from './content.ts';
import type { Kept } from './kept.ts';

/** A decision without the records that it keeps. Times are microseconds since 1970. */
export type DecisionRow = {
  readonly id: string;
  /** The id of the decision that began the step. */
  readonly step: string;
  readonly iri: string;
  readonly pid: string;
  readonly class_name: string;
  readonly decision: DecisionKind;
  readonly label: string;
  /** By the schema of today, once it is read. */
  readonly digest: string;
  readonly version: string;
  readonly reason: string | null;
  /** In milliseconds. */
  readonly until: number | null;
  readonly submitter: string | null;
  readonly edited_by: string | null;
  readonly reviewer: string | null;
  readonly time: number;
  readonly before_revision: number | null;
  readonly after_revision: number | null;
  readonly undone_by: string | null;
  readonly undone_at: number | null;
};

/** Decisions of the curated area ($1); those of another version ($2) with what they keep, for their digest. */
const SELECT = `SELECT d.*, k.json, k.carried FROM accession_decision d LEFT JOIN accession_kept k
  ON k.curated = d.curated AND k.id = d.id AND d.version <> $2 WHERE d.curated = $1`;
type ReadRow = DecisionRow & { readonly json: string | null; readonly carried: string | null };

async function select(
  reader: Reader,
  { parts, version }: ReviewContext,
  condition: string,
  values: readonly Value[],
): Promise<DecisionRow[]> {
  const given = [parts.curated.area.id, version, ...values];
  const rows = await reader.read<ReadRow>(`${SELECT} AND ${condition}`, given);
  const found: DecisionRow[] = [];
  const yieldIfDue = yielder();
  for (const { json, carried, ...row } of rows) {
    if (json === null) {
      found.push(row);
      continue;
    }
    const { submitted } = JSON.parse(json) as Kept;
    const { digest } = await parts.work.read(contentUnder(carried, parts.schema.digest, submitted));
    found.push({ ...row, digest });
    await yieldIfDue();
  }
  return found;
}

/** The decisions that a submission is shown with. */
export const MOST_EARLIER = 100;

/** The decisions on some IRIs, newest first. */
export async function decisionsOn(
  reader: Reader,
  context: ReviewContext,
  iris: readonly string[],
): Promise<DecisionRow[]> {
  const { dialect } = context.parts.database;
  // Sorted here: SQLite would rather follow an index that has the order than find the few rows.
  const found = await select(reader, context, dialect.among('d.iri', 3), [iris]);
  return found.sort((a, b) => compareCodePoints(b.id, a.id));
}

/** The steps of some decisions: each with all decisions that are undone together with it. */
export async function stepsOf(
  reader: Reader,
  context: ReviewContext,
  ids: readonly string[],
): Promise<DecisionRow[]> {
  const { dialect } = context.parts.database;
  const steps = `SELECT o.step FROM accession_decision o WHERE o.curated = $1 AND ${dialect.among('o.id', 3)}`;
  return select(reader, context, `d.step IN (${steps}) ORDER BY d.id`, [ids]);
}

/** Reads the records that a decision keeps; undefined once they were forgotten. */
export async function keptBy(reader: Reader, context: ReviewContext, id: string): Promise<Kept | undefined> {
  return (await keptByAll(reader, context, [id])).get(id);
}

/** Reads the records that several decisions keep, by the ids of the decisions. */
export async function keptByAll(
  reader: Reader,
  { parts: { curated, database } }: ReviewContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Kept>> {
  const rows = await reader.tuples<[id: string, json: string]>(
    `SELECT id, json FROM accession_kept WHERE curated = $1 AND ${database.dialect.among('id', 2)}`,
    [curated.area.id, ids],
  );
  return new Map(rows.map(([id, json]) => [id, JSON.parse(json) as Kept]));
}

/** By their ids, the bytes that decisions keep. */
export async function bytesKept(
  { parts: { curated, database } }: ReviewContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await database.tuples<[id: string, bytes: number]>(
    `SELECT id, CAST(octet_length(json) AS BIGINT) FROM accession_kept
     WHERE curated = $1 AND ${database.dialect.among('id', 2)}`,
    [curated.area.id, ids],
  );
  return new Map(rows);
}

/** Adds a decision. @param after the revision that the curated record has by it */
export function addDecision(
  draft: Draft,
  { parts }: ReviewContext,
  decision: DecisionRow,
  kept: Kept,
  after: RevisionOf | number | null,
): void {
  const curated = parts.curated.area.id;
  const row = { curated, ...decision, after_revision: after };
  const list = Object.keys(row).map((_, at) => `$${at + 1}`);
  const columns = Object.keys(row).join(', ');
  draft.run(`INSERT INTO accession_decision (${columns}) VALUES (${list.join(', ')})`, Object.values(row));
  draft.run('INSERT INTO accession_kept (curated, id, json) VALUES ($1, $2, $3)', [
    curated,
    decision.id,
    JSON.stringify(kept),
  ]);
}

/** Marks all decisions of a step as undone. */
export function markUndone(
  draft: Draft,
  { parts }: ReviewContext,
  { step, by, at }: { readonly step: string; readonly by: string; readonly at: number },
): void {
  draft.run('UPDATE accession_decision SET undone_by = $3, undone_at = $4 WHERE curated = $1 AND step = $2', [
    parts.curated.area.id,
    step,
    by,
    at,
  ]);
}

/** The id of the newest decision; it may be another one when a transaction is committed. */
export async function newestDecisionId({ parts }: ReviewContext): Promise<string> {
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
export function decisionOf({ parts }: ReviewContext, row: DecisionRow): Decision {
  const etag = (revision: number | null) => (revision === null ? null : parts.etagOf('', revision));
  return {
    id: row.id,
    decision: row.decision,
    label: row.label,
    pid: row.pid,
    class: row.class_name,
    digest: row.digest,
    reason: row.reason,
    until: row.until === null ? null : timeOf(row.until * 1000),
    submitter: row.submitter,
    reviewer: row.reviewer,
    time: timeOf(row.time),
    group: row.step,
    curated_before: etag(row.before_revision),
    curated_after: etag(row.after_revision),
    undone: row.undone_at === null ? null : { reviewer: row.undone_by, time: timeOf(row.undone_at) },
  };
}

export type DecisionFilter = {
  /** Words, each of which has to occur in the title, the reason, or a name of the row. */
  readonly q?: string;
  readonly iri?: string;
  readonly label?: readonly string[];
  readonly class?: readonly string[];
  readonly reviewer?: string;
  readonly submitter?: string;
  readonly decision?: readonly DecisionKind[];
  readonly group?: string;
  /** From this time on. */
  readonly since?: string;
  /** Before this time. */
  readonly until?: string;
};

/** The columns that decisions are filtered by. */
const FILTERED = {
  iri: 'iri',
  label: 'label',
  class: 'class_name',
  reviewer: 'reviewer',
  submitter: 'submitter',
  decision: 'decision',
  group: 'step',
} as const;

export type DecisionPage = Shape<typeof decisionPageSchema>;

/** A decision with the records that it keeps. */
export type DecisionItem = WithTexts<Shape<typeof decisionItemSchema>, 'submitted' | 'before' | 'after'>;

/** The titles of the submissions that were decided, by label and IRI: rows stay after their submissions have left. */
async function titlesOf(
  reader: Reader,
  { parts }: ReviewContext,
  rows: readonly Pick<DecisionRow, 'iri'>[],
): Promise<ReadonlyMap<string, string | null>> {
  const found = await reader.tuples<[label: string, iri: string, title: string | null]>(
    `SELECT label, iri, title FROM accession_submission WHERE ${parts.database.dialect.among('iri', 2)}
     AND queue IN (SELECT queue FROM accession_queue WHERE curated = $1)`,
    [parts.curated.area.id, [...new Set(rows.map(({ iri }) => iri))]],
  );
  return new Map(found.map(([label, iri, title]) => [`${label} ${iri}`, title]));
}

/** A page of decisions, newest first, selected in an index. */
export async function listDecisions(
  reader: Reader,
  context: ReviewContext,
  filter: DecisionFilter,
  page: number,
  size: number,
): Promise<DecisionPage> {
  const { database, curated } = context.parts;
  const { since, until, q = '' } = filter;
  const words = wordsOf(q);
  const others: Conditions['others'] = [
    (given) => `curated = ${given(curated.area.id)}`,
    ...Object.entries(FILTERED).flatMap(([name, column]) => {
      const values = filter[name as keyof typeof FILTERED];
      return values === undefined ? [] : oneOf(context.parts, column, [values].flat());
    }),
    ...(since === undefined ? [] : [timed('>=', since)]),
    ...(until === undefined ? [] : [timed('<', until)]),
  ];
  const from = (given: (value: Value) => string) =>
    `FROM accession_decision WHERE ${whereOf({ others })(given)}`;
  const start = (page - 1) * size;
  const read = async () => {
    const [count] = await reader.tuples<[number]>(...statement((given) => `SELECT count(*) ${from(given)}`));
    const found = await reader.tuples<[string]>(
      ...statement(
        (given) => `SELECT id ${from(given)} ORDER BY id DESC LIMIT ${given(size)} OFFSET ${given(start)}`,
      ),
    );
    return { total: count?.[0] ?? 0, ids: found.map(([id]) => id) };
  };
  const search = async () => {
    const found = await idsWith(reader, context, words, from);
    return { total: found.length, ids: found.slice(start, start + size) };
  };
  const { total, ids } = await (words.length === 0 ? read() : search());
  const rows = await select(reader, context, `${database.dialect.among('d.id', 3)} ORDER BY d.id DESC`, [
    ids,
  ]);
  const titles = await titlesOf(reader, context, rows);
  const items = rows.map((row) => ({
    ...decisionOf(context, row),
    title: titles.get(`${row.label} ${row.iri}`) ?? null,
  }));
  return { items, total, page, size, pages: Math.ceil(total / size) };
}

/** Decisions whose rows are read at a time, to be searched. */
const STRIDE = 500;
const ABOUT = ['label', 'pid', 'class_name', 'submitter', 'reviewer', 'reason'] as const;

/** The decisions that have all words in what their rows show, newest first. */
async function idsWith(
  reader: Reader,
  context: ReviewContext,
  words: readonly string[],
  from: (given: (value: Value) => string) => string,
): Promise<string[]> {
  const found: string[] = [];
  const yieldIfDue = yielder();
  for (let last: string | undefined; ; ) {
    const rows = await reader.read<Pick<DecisionRow, 'id' | 'iri' | (typeof ABOUT)[number]>>(
      ...statement((given) => {
        const before = last === undefined ? '' : ` AND id < ${given(last)}`;
        return `SELECT id, iri, ${ABOUT.join(', ')} ${from(given)}${before} ORDER BY id DESC LIMIT ${STRIDE}`;
      }),
    );
    const titles = await titlesOf(reader, context, rows);
    for (const row of rows) {
      await yieldIfDue();
      const shown = [titles.get(`${row.label} ${row.iri}`), ...ABOUT.map((name) => row[name])];
      const text = fold(shown.join('\n'));
      if (words.every((word) => text.includes(word))) found.push(row.id);
    }
    if (rows.length < STRIDE) return found;
    last = rows.at(-1)!.id;
  }
}

function timed(relation: '>=' | '<', time: string): Conditions['others'][number] {
  return (given) => `time ${relation} ${given(microsecondsOf(time))}`;
}

/** @throws ServiceError `record_missing` */
export async function readDecision(
  reader: Reader,
  context: ReviewContext,
  id: string,
): Promise<DecisionItem> {
  const [row] = await select(reader, context, 'd.id = $3', [id]);
  if (!row) throw decisionMissing(id);
  const { submitted, before, after } = (await keptBy(reader, context, id)) ?? {};
  return {
    ...decisionOf(context, row),
    submitted: jsonOf(submitted),
    before: jsonOf(before),
    after: jsonOf(after),
  };
}

export function decisionMissing(id: string): ServiceError {
  return new ServiceError('record_missing', `No decision has the id '${id}'.`);
}

/** The record as it is stored; null for none. */
export function jsonOf(content: Content | null | undefined): JsonText {
  return new JsonText(content?.json ?? 'null');
}
