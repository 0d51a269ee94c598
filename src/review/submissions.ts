/** The submitters' view: what became of the submissions of one zone. */
import type { SQLInputValue } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../json.ts';
import { claimDifferences, type Difference, withWords } from '../records/difference.ts';
import { LIMIT, LIMIT_OFFSET } from '../storage/database.ts';
import { compileLikePattern } from '../storage/matching.ts';
import type { StoredRecord } from '../storage/store.ts';
import { claimOfContent, recordOf } from './assess.ts';
import { jsonOf } from './decisions.ts';
import { DECISION, type KeptDecision } from './ledger-rows.ts';
import type { ReviewParts } from './parts.ts';
import { contentOf, type QueuedSubmission, type QueueIndex } from './queue-index.ts';
import { OWN_STATUS } from './queue-layout.ts';
import type { Decision, State, Status } from './types.ts';

/** A submission as its zone's tokens see it. */
export type OwnRow = {
  readonly pid: string;
  readonly class: string;
  readonly batch: string | null;
  readonly message: string | null;
  readonly submitted_at: string;
  /** Null for tokens that may not read the curated area, and for submissions that have left. */
  readonly state: State | null;
  readonly status: Status;
  readonly reason: string | null;
  readonly until: string | null;
  readonly decided_at: string | null;
  readonly digest: string;
  readonly title: string | null;
};

export type OwnPage = {
  readonly items: readonly OwnRow[];
  readonly total: number;
  readonly page: number;
  readonly size: number;
  readonly pages: number;
  /** How many submissions have each status, whatever status the filter selects. */
  readonly counts: Readonly<Partial<Record<Status, number>>>;
};

export type OwnItem = OwnRow & {
  readonly submitted: JsonObject;
  readonly curated: JsonObject | null;
  /** The changes that a waiting submission makes to the curated record; null without one that the token may read. */
  readonly differences: readonly Difference[] | null;
  /** What differs between an accepted submission and the record that was stored. */
  readonly changed_by_curator: readonly Difference[] | null;
  readonly decisions: readonly OwnDecision[];
};

/** A decision on a submission of the zone, or on the same claim in another zone, which is not named. */
export type OwnDecision = Omit<Decision, 'label'> & { readonly label: string | null };

export type OwnFilter = {
  readonly status?: readonly Status[];
  readonly class?: readonly string[];
  readonly batch?: string;
  readonly matching?: string;
  /** Decided or left since. */
  readonly since?: string;
};

/** What a token may see. */
export type Sight = { readonly readCurated: boolean };

/** Submissions that are searched at a time. */
const STRIDE = 1000;

/** The rows of a zone that were decided, or have left, since a time. */
const SINCE = `rowid IN (
  SELECT rowid FROM submission WHERE label = ? AND left_at >= ? UNION ALL
  SELECT s.rowid FROM decision d CROSS JOIN submission s ON s.iri = d.iri AND s.digest = d.digest
  WHERE d.time >= ? AND d.undone = 0 AND s.label = ? AND s.left_at IS NULL)`;

/** A page of the submissions of a zone, newest first; one for each pid. */
export function listOwn(
  { parts, index }: { readonly parts: ReviewParts; readonly index: QueueIndex },
  label: string,
  filter: OwnFilter,
  /** The IRIs that `matching` finds. */
  found: readonly string[] | undefined,
  sight: Sight,
  page: number,
  size: number,
): OwnPage {
  const conditions = ['label = ?'];
  const values: SQLInputValue[] = [label];
  const require = (sql: string, ...given: readonly string[]) => {
    conditions.push(sql);
    values.push(...given);
  };
  const { class: classes, batch, since } = filter;
  const status = filter.status && [...new Set(filter.status)];
  if (classes) {
    const all = classes.flatMap((name) => [name, ...parts.schema.descendants(name)]);
    require('class IN (SELECT value FROM json_each(?))', JSON.stringify(all));
  }
  if (batch !== undefined) require('batch = ?', batch);
  if (found) require('iri IN (SELECT value FROM json_each(?))', JSON.stringify(found));
  if (since !== undefined) require(SINCE, label, since, since, label);
  const counts = index
    .sql(
      `SELECT ${OWN_STATUS} AS status, count(*) AS n FROM submission WHERE ${conditions.join(' AND ')} GROUP BY 1`,
    )
    .all(...values) as { status: Status; n: number }[];
  // A list of values, not a subquery: the index gives the order then.
  if (status) require(`${OWN_STATUS} IN (${status.map(() => '?').join(', ')})`, ...status);
  const selected = counts.filter((each) => status?.includes(each.status) ?? true);
  const total = selected.reduce((sum, { n }) => sum + n, 0);
  const rows = index
    .sql(
      `SELECT * FROM submission WHERE ${conditions.join(' AND ')} ORDER BY submitted_at DESC, pid ${LIMIT_OFFSET}`,
    )
    .all(...values, size, (page - 1) * size) as unknown as QueuedSubmission[];
  const items = rows.map((row) => ownRow(index, row, sight));
  return {
    ...{ items, total, page, size, pages: Math.ceil(total / size) },
    counts: Object.fromEntries(counts.map(({ status, n }) => [status, n])),
  };
}

/** The IRIs of the submissions that a pattern matches: in the zone as its store finds them, and those that have left. */
export async function matchingOwn(
  { parts, index }: { readonly parts: ReviewParts; readonly index: QueueIndex },
  label: string,
  matching: string,
): Promise<string[]> {
  const pattern = compileLikePattern(matching);
  const { store } = await parts.zones.follow(label);
  const found: string[] = [];
  for (let offset = 0; ; offset += STRIDE) {
    const records = await store.list({ matching }, { offset, limit: STRIDE });
    for (const { iri } of records) found.push(iri);
    if (records.length < STRIDE) break;
  }
  const left = index.sql(
    `SELECT iri, json FROM submission WHERE label = ? AND present = 0 AND iri > ? ORDER BY iri ${LIMIT}`,
  );
  for (let after = ''; ; ) {
    const rows = left.all(label, after, STRIDE) as { iri: string; json: string }[];
    for (const { iri, json } of rows) if (pattern.matchesRecord(json)) found.push(iri);
    const last = rows.at(-1);
    if (!last || rows.length < STRIDE) return found;
    after = last.iri;
    await nextTurn();
  }
}

function ownRow(index: QueueIndex, row: QueuedSubmission, { readCurated }: Sight): OwnRow {
  const decision = decisionFor(index, row);
  return {
    pid: row.pid,
    class: row.class,
    batch: row.batch,
    message: row.message,
    submitted_at: row.submitted_at,
    state: readCurated && row.present ? row.state : null,
    status: row.present ? row.standing : (row.status ?? 'removed'),
    reason: decision?.reason ?? null,
    until: row.present ? row.until : null,
    decided_at: decision?.time ?? (row.present ? null : row.left_at),
    digest: row.digest,
    title: row.title,
  };
}

/** The decision that the status comes from. */
function decisionFor(index: QueueIndex, row: QueuedSubmission): Decision | undefined {
  if (!row.present) return row.decision === null ? undefined : index.decision(row.decision);
  if (row.standing === 'waiting') return undefined;
  const last = index.lastOnClaim(row.iri, row.digest);
  return last && index.decision(last.id);
}

/** One submission, with the decisions on it and on its claim. */
export async function readOwn(
  { parts, index }: { readonly parts: ReviewParts; readonly index: QueueIndex },
  row: QueuedSubmission,
  sight: Sight,
): Promise<OwnItem> {
  const curated = sight.readCurated ? await parts.curated.get(row.iri) : undefined;
  const decisions = index
    .decisionsOn(row.iri, 100)
    .filter(({ label, digest }) => label === row.label || digest === row.digest)
    .map((decision) => (decision.label === row.label ? decision : withoutZone(decision)))
    .map((decision) => (parts.showReviewer ? decision : withoutReviewer(decision)));
  return {
    ...ownRow(index, row, sight),
    submitted: recordOf(contentOf(row)),
    curated: jsonOf(curated),
    differences: curated && row.present ? differencesFrom(parts, curated, row) : null,
    changed_by_curator: sight.readCurated ? await changedByCurator(parts, row) : null,
    decisions,
  };
}

function differencesFrom(
  { schema, tags }: ReviewParts,
  curated: StoredRecord,
  row: QueuedSubmission,
): Difference[] {
  const stored = claimOfContent(schema, tags, curated);
  const submitted = claimOfContent(schema, tags, contentOf(row));
  return claimDifferences({ base: stored, curated: stored, submitted }).map(withWords);
}

/** Which zone made the same claim, and whose submission it was, is not for others. */
function withoutZone(decision: Decision): OwnDecision {
  return { ...decision, label: null, submitter: null };
}

function withoutReviewer(decision: OwnDecision): OwnDecision {
  const { undone } = decision;
  return { ...decision, reviewer: null, undone: undone && { ...undone, reviewer: null } };
}

async function changedByCurator(parts: ReviewParts, row: QueuedSubmission): Promise<Difference[] | null> {
  if (row.present || row.decision === null) return null;
  const kept = await parts.curated.ledger.get(DECISION, row.decision);
  const after = kept && (JSON.parse(kept.json) as KeptDecision).after;
  if (!after) return null;
  const submitted = claimOfContent(parts.schema, parts.tags, contentOf(row));
  const stored = claimOfContent(parts.schema, parts.tags, after);
  return claimDifferences({ base: submitted, curated: stored, submitted }).map(withWords);
}
