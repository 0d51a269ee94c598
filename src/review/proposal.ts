/** The body of `review/decisions` and of `by-filter`, read into what is to be done. */
import { type Problem, ServiceError } from '../errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Side, Take } from '../records/merge.ts';
import type { Filter } from './filter.ts';
import { isoTime } from './parts.ts';
import { STANDINGS, STATES, VERDICTS, type Verdict } from './types.ts';

export type Referenced = { readonly pid: string; readonly digest: string };

/** What is decided, whichever submissions it is for. */
export type Ruling = {
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
  readonly references: readonly Referenced[];
};

/** The same decision on what a filter selects. */
export type FilterProposal = Ruling & {
  readonly filter: Filter;
  readonly expected: number;
  readonly asOf: string | undefined;
  readonly after: string | undefined;
};

export const MOST_DECISIONS = 1000;
const MOST_REFERENCES = 1000;
const LONGEST_REASON = 4000;
/** Times are compared as strings: another form would select what came later. */
const TIME_OF_QUEUE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/;

type Path = readonly (string | number)[];

/** Collects the problems of one object. */
class ProposalReading {
  readonly problems: Problem[] = [];
  readonly #object: JsonObject;
  readonly #path: Path;

  constructor(object: JsonObject, path: Path, keys: readonly string[]) {
    this.#object = object;
    this.#path = path;
    for (const key of Object.keys(object))
      if (!keys.includes(key)) this.report(key, `unknown key, expected one of ${keys.join(', ')}`);
  }

  report(key: string, msg: string): undefined {
    const loc = [...this.#path, ...(key === '' ? [] : [key])];
    this.problems.push({ type: 'payload_invalid', loc, msg: `${loc.join('.')}: ${msg}.` });
    return undefined;
  }

  has(key: string): boolean {
    return this.#object[key] !== undefined && this.#object[key] !== null;
  }

  value(key: string): JsonValue | undefined {
    return this.#object[key];
  }

  string(key: string, most = 10_000): string | undefined {
    const value = this.#object[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string' || value === '' || value.length > most)
      return this.report(key, `expected a string of 1 to ${most} characters`);
    return value;
  }

  needed(key: string): string {
    if (!this.has(key)) this.report(key, 'missing, expected a string');
    return this.string(key) ?? '';
  }

  boolean(key: string): boolean | undefined {
    const value = this.#object[key];
    if (value === undefined || value === null || typeof value === 'boolean') return value ?? undefined;
    return this.report(key, 'expected true or false');
  }

  /** Several values; @param allowed the values that there are, if they are known */
  strings<T extends string>(key: string, allowed?: readonly T[]): T[] | undefined {
    const value = this.#object[key];
    if (value === undefined || value === null) return undefined;
    const list = Array.isArray(value) ? value : [value];
    const unknown = list.find((one) => typeof one !== 'string' || (allowed && !allowed.includes(one as T)));
    if (unknown !== undefined || list.length === 0)
      return this.report(key, allowed ? `expected some of ${allowed.join(', ')}` : 'expected strings');
    return list as T[];
  }
}

/** @throws ServiceError `payload_invalid` with every problem */
export function readProposal(value: JsonValue, path: Path, now: Date): Proposal {
  if (!isJsonObject(value)) throw proposalInvalid([proposalProblem(path, 'expected an object')]);
  const reading = new ProposalReading(value, path, [
    ...['label', 'pid', 'digest', 'decision', 'reason', 'until', 'overturn'],
    ...['record', 'take', 'if_curated', 'with_references'],
  ]);
  const ruling = readRuling(reading, now);
  const record = reading.value('record');
  const proposal: Proposal = {
    ...ruling,
    label: reading.needed('label'),
    pid: reading.needed('pid'),
    digest: reading.needed('digest'),
    record: isJsonObject(record) ? record : undefined,
    take: readTake(reading),
    ifCurated: readTag(reading),
    references: readReferences(reading, path),
  };
  if (reading.has('record') && !proposal.record) reading.report('record', 'expected an object');
  if (proposal.record && proposal.take)
    reading.report('take', 'cannot be used together with record. Send one of them');
  if ((proposal.record || proposal.take) && proposal.ifCurated === undefined)
    reading.report('if_curated', 'missing. With record or take, send the curated_etag of the row, or null');
  for (const key of ['record', 'take', 'if_curated', 'with_references'] as const)
    if (ruling.decision !== 'accept' && reading.value(key) !== undefined)
      reading.report(key, 'applies to accept only');
  if (reading.problems.length > 0) throw proposalInvalid(reading.problems);
  return proposal;
}

function readRuling(reading: ProposalReading, now: Date): Ruling {
  const decision = reading.value('decision');
  const isVerdict = VERDICTS.includes(decision as Verdict);
  if (!isVerdict) reading.report('decision', `expected one of ${VERDICTS.join(', ')}`);
  const reason = reading.string('reason', LONGEST_REASON) ?? null;
  if (decision === 'reject' && !reason?.trim())
    reading.report('reason', 'missing. The submitter is shown why a submission is rejected');
  const given = reading.string('until');
  const time = given === undefined ? Number.NaN : Date.parse(given);
  if (given !== undefined && decision !== 'defer') reading.report('until', 'applies to defer only');
  else if (given !== undefined && !(time > now.getTime()))
    reading.report('until', 'expected a date and time in the future (ISO 8601)');
  const until = Number.isNaN(time) ? null : isoTime(new Date(time));
  return {
    decision: isVerdict ? (decision as Verdict) : 'defer',
    reason,
    until,
    overturn: reading.boolean('overturn') ?? false,
  };
}

function readTag(reading: ProposalReading): string | null | undefined {
  const value = reading.value('if_curated');
  return value === null ? null : reading.string('if_curated');
}

const SIDES_TAKEN: readonly unknown[] = ['submitted', 'curated', 'base'] satisfies Side[];

function readTake(reading: ProposalReading): Take | undefined {
  const value = reading.value('take');
  if (value === undefined || value === null) return undefined;
  if (isJsonObject(value) && Object.values(value).every((side) => SIDES_TAKEN.includes(side)))
    return value as Take;
  return reading.report('take', 'expected an object of paths, each with submitted, curated or base');
}

function readReferences(reading: ProposalReading, path: Path): Referenced[] {
  const value = reading.value('with_references');
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > MOST_REFERENCES) {
    reading.report('with_references', `expected an array of up to ${MOST_REFERENCES} objects`);
    return [];
  }
  return value.map((one, at) => {
    const inner = new ProposalReading(
      isJsonObject(one) ? one : {},
      [...path, 'with_references', at],
      ['pid', 'digest'],
    );
    const reference = { pid: inner.needed('pid'), digest: inner.needed('digest') };
    reading.problems.push(...inner.problems);
    return reference;
  });
}

/** @throws ServiceError `payload_invalid` with every problem */
export function readFilterProposal(value: JsonValue, now: Date): FilterProposal {
  const path: Path = ['body'];
  if (!isJsonObject(value)) throw proposalInvalid([proposalProblem(path, 'expected an object')]);
  const keys = ['filter', 'expected', 'as_of', 'after', 'decision', 'reason', 'until', 'overturn'];
  const reading = new ProposalReading(value, path, keys);
  const ruling = readRuling(reading, now);
  const expected = value.expected;
  if (typeof expected !== 'number' || !Number.isSafeInteger(expected) || expected < 0)
    reading.report('expected', 'expected the number of submissions that the filter selects');
  const { filter, problems } = readFilter(value.filter ?? {}, [...path, 'filter']);
  reading.problems.push(...problems);
  const asOf = reading.string('as_of');
  if (asOf !== undefined && !TIME_OF_QUEUE.test(asOf))
    reading.report('as_of', 'expected the as_of of the queue, like 2026-05-01T12:00:00.000000+00:00');
  const after = reading.string('after');
  if (reading.problems.length > 0) throw proposalInvalid(reading.problems);
  return { ...ruling, filter, expected: expected as number, asOf, after };
}

/** A filter object; also what query parameters are read by, their lists split. */
export function readFilter(
  value: JsonValue,
  path: Path,
): { readonly filter: Filter; readonly problems: readonly Problem[] } {
  if (!isJsonObject(value)) return { filter: {}, problems: [proposalProblem(path, 'expected an object')] };
  const keys = ['standing', 'state', 'label', 'class', 'submitter', 'batch', 'pid', 'valid', 'matching'];
  const reading = new ProposalReading(value, path, keys);
  const filter = {
    standing: reading.strings('standing', STANDINGS),
    state: reading.strings('state', STATES),
    label: reading.strings('label'),
    class: reading.strings('class'),
    submitter: reading.string('submitter'),
    batch: reading.string('batch'),
    pid: reading.string('pid'),
    valid: reading.boolean('valid'),
    matching: reading.string('matching'),
  };
  const given = Object.entries(filter).filter(([, one]) => one !== undefined);
  return { filter: Object.fromEntries(given) as Filter, problems: reading.problems };
}

function proposalProblem(loc: Path, msg: string): Problem {
  return { type: 'payload_invalid', loc, msg: `${loc.join('.')}: ${msg}.` };
}

/** @returns the error for problems of a body */
export function proposalInvalid(problems: readonly Problem[]): ServiceError {
  return new ServiceError('payload_invalid', problems.map(({ msg }) => msg).join(' '), problems);
}
