/** Reading the decisions of a collection. */
import type { SQLInputValue } from 'node:sqlite';
import { ServiceError } from '../errors.ts';
import { type JsonObject, parseJson } from '../json.ts';
import { LIMIT_OFFSET } from '../storage/database.ts';
import { DECISION, type KeptDecision } from './ledger-rows.ts';
import type { ReviewParts } from './parts.ts';
import type { QueueIndex } from './queue-index.ts';
import type { Content, Decision, Verdict } from './types.ts';

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

/** A page of decisions, newest first. They are selected in an index, since their texts are long. */
export function listDecisions(
  index: QueueIndex,
  filter: DecisionFilter,
  page: number,
  size: number,
): DecisionPage {
  const conditions = ['1'];
  const values: SQLInputValue[] = [];
  const require = (sql: string, value: string | readonly string[] | undefined) => {
    if (value === undefined) return;
    conditions.push(sql);
    values.push(typeof value === 'string' ? value : JSON.stringify(value));
  };
  require('iri = ?', filter.iri);
  require('label IN (SELECT value FROM json_each(?))', filter.label);
  require('class IN (SELECT value FROM json_each(?))', filter.class);
  require('reviewer = ?', filter.reviewer);
  require('submitter = ?', filter.submitter);
  require('decision IN (SELECT value FROM json_each(?))', filter.decision);
  require('grp = ?', filter.group);
  require('time >= ?', filter.since);
  require('time < ?', filter.until);
  const where = conditions.join(' AND ');
  const { n: total } = index.sql(`SELECT count(*) AS n FROM decision WHERE ${where}`).get(...values) as {
    n: number;
  };
  const rows = index
    .sql(
      `SELECT json FROM decision WHERE id IN (
        SELECT id FROM decision WHERE ${where} ORDER BY id DESC ${LIMIT_OFFSET}
      ) ORDER BY id DESC`,
    )
    .all(...values, size, (page - 1) * size) as { json: string }[];
  const items = rows.map(({ json }) => JSON.parse(json) as Decision);
  return { items, total, page, size, pages: Math.ceil(total / size) };
}

/** @throws ServiceError `record_missing` */
export async function readDecision(parts: ReviewParts, index: QueueIndex, id: string): Promise<DecisionItem> {
  const decision = index.decision(id);
  const row = decision && (await parts.curated.ledger.get(DECISION, id));
  if (!decision || !row) throw new ServiceError('record_missing', `No decision has the id '${id}'.`);
  const { submitted, before, after } = JSON.parse(row.json) as KeptDecision;
  return { ...decision, submitted: jsonOf(submitted), before: jsonOf(before), after: jsonOf(after) };
}

export function jsonOf(content: Content | null | undefined): JsonObject | null {
  return content ? (parseJson(content.json) as JsonObject) : null;
}
