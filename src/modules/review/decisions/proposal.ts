/** Decisions as curators send them. The form was checked by the schema of the endpoint; the rules here are what it cannot say. */

import type { JsonObject } from '#linkml/json.ts';
import type { Problem } from '../../../core/errors.ts';
import { refusal } from '../../../core/json-schema.ts';
import type { Shape } from '../../../core/shapes.ts';
import { timeOf } from '../../../core/storage/times.ts';
import type { Take } from '../../claims/merge.ts';
import { FILTER_SCHEMAS, type Filter } from '../queue/fields.ts';
import type { filterProposalSchema, proposalSchema } from '../schemas.ts';
import type { Verdict } from '../states.ts';

/** A decision, whichever submissions it is for. */
type Ruling = {
  readonly decision: Verdict;
  readonly reason: string | null;
  readonly until: string | null;
  /** Whether a rejection may be decided again. */
  readonly overturn: boolean;
};

/** A decision on one submission. */
export type Proposal = Ruling & {
  readonly label: string;
  readonly pid: string;
  readonly digest: string;
  readonly record: JsonObject | undefined;
  readonly take: Take | undefined;
  /** An entity tag, `null` for no record, undefined if the curator does not mind. */
  readonly ifCurated: string | null | undefined;
  readonly references: readonly { readonly pid: string; readonly digest: string }[];
};

/** A decision on every submission that a filter selects. */
type FilterProposal = Ruling & {
  readonly filter: Filter;
  readonly expected: number;
  readonly asOf: string | undefined;
  readonly after: string | undefined;
};

/** A {@link Proposal} as it is sent. */
export type SentProposal = Shape<typeof proposalSchema>;

/** A {@link FilterProposal} as it is sent: one value of a filter stands for a list of it. */
export type SentFilterProposal = Shape<typeof filterProposalSchema>;

type SentFilter = NonNullable<SentFilterProposal['filter']>;

type SentRuling = Pick<SentProposal, 'decision' | 'reason' | 'until' | 'overturn'>;

type Path = readonly (string | number)[];

/** @throws ServiceError `payload_invalid` with every problem */
export function readProposal(sent: SentProposal, path: Path, now: Date): Proposal {
  const { label, pid, digest, record, take, if_curated, with_references } = sent;
  const problems = problemsOfProposal(sent, now).map(at(path));
  if (problems.length > 0) throw refusal('payload_invalid', problems);
  return {
    ...rulingOf(sent),
    label,
    pid,
    digest,
    record: record ?? undefined,
    take: take ?? undefined,
    ifCurated: if_curated,
    references: with_references ?? [],
  };
}

/** @throws ServiceError `payload_invalid` with every problem */
export function readFilterProposal(sent: SentFilterProposal, now: Date): FilterProposal {
  const problems = problemsOfRuling(sent, now).map(at(['body']));
  if (problems.length > 0) throw refusal('payload_invalid', problems);
  const { filter, expected, as_of, after } = sent;
  return {
    ...rulingOf(sent),
    filter: filterOf(filter ?? {}),
    // It may be written as `5.0`.
    expected: Number(expected),
    asOf: as_of ?? undefined,
    after: after ?? undefined,
  };
}

export function filterOf(sent: SentFilter): Filter {
  const given = Object.entries(sent).filter(([, value]) => (value ?? undefined) !== undefined);
  const isList = (name: string) => 'oneOf' in FILTER_SCHEMAS[name as keyof Filter];
  return Object.fromEntries(given.map(([name, value]) => [name, isList(name) ? [value].flat() : value]));
}

function rulingOf({ decision, reason, until, overturn }: SentRuling): Ruling {
  return {
    decision,
    reason: reason ?? null,
    overturn: overturn ?? false,
    until: until ? timeOf(Date.parse(until) * 1000) : null,
  };
}

/** A key of a body, and the fault of its value. */
type Fault = readonly [key: string, msg: string];

function problemsOfRuling({ decision, reason, until }: SentRuling, now: Date): Fault[] {
  const problems: Fault[] = [];
  if (decision === 'reject' && !reason?.trim())
    problems.push(['reason', 'missing. The submitter is shown why a submission is rejected']);
  if (until && decision !== 'defer') problems.push(['until', 'applies to defer only']);
  else if (until && !(Date.parse(until) > now.getTime()))
    problems.push(['until', `expected a date and time in the future (ISO 8601), found '${until}'`]);
  return problems;
}

function problemsOfProposal(sent: SentProposal, now: Date): Fault[] {
  const { decision, record, take, if_curated } = sent;
  const problems = problemsOfRuling(sent, now);
  if (record && take) problems.push(['take', 'cannot be used together with record. Send one of them']);
  if ((record || take) && if_curated === undefined)
    problems.push(['if_curated', 'missing. With record or take, send the curated_etag of the row, or null']);
  for (const key of ['record', 'take', 'if_curated', 'with_references'] as const)
    if (decision !== 'accept' && sent[key] !== undefined) problems.push([key, 'applies to accept only']);
  return problems;
}

function at(path: Path) {
  return ([key, msg]: Fault): Problem => ({ type: 'value_error', loc: [...path, key], msg });
}
