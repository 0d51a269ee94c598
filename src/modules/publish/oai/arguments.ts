/** The arguments of requests in OAI-PMH 2.0: which a verb has, and resumption tokens. */

import { microsecondsOf, timeOf } from '../../../core/storage/times.ts';
import { METADATA_FORMATS } from './metadata-formats.ts';
import { OaiError } from './oai.ts';

type Argument = 'identifier' | 'metadataPrefix' | 'from' | 'until' | 'set' | 'resumptionToken';
/** A request whose arguments are those of its verb. */
export type OaiRequest = { readonly verb: string } & Readonly<Partial<Record<Argument, string>>>;

type ArgumentRule = {
  readonly required: readonly Argument[];
  readonly optional: readonly Argument[];
  /** Whether a resumption token may be in place of all of them. */
  readonly resumes?: true;
};

const LISTS: ArgumentRule = {
  required: ['metadataPrefix'],
  optional: ['from', 'until', 'set'],
  resumes: true,
};
const VERBS: Readonly<Record<string, ArgumentRule>> = {
  Identify: { required: [], optional: [] },
  ListMetadataFormats: { required: [], optional: ['identifier'] },
  ListSets: { required: [], optional: [], resumes: true },
  GetRecord: { required: ['identifier', 'metadataPrefix'], optional: [] },
  ListRecords: LISTS,
  ListIdentifiers: LISTS,
};

/** Reads the arguments from a query string. @throws OaiError `badVerb`, `badArgument`, `badResumptionToken` */
export function argumentsOf(query: string): OaiRequest {
  const args = [...new URLSearchParams(query)];
  const verbs = args.flatMap(([name, value]) => (name === 'verb' ? value : []));
  const [verb = ''] = verbs;
  const expected = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (!expected || verbs.length > 1) {
    const found = verbs.length === 0 ? 'is missing' : `is '${verbs.join("', '")}'`;
    throw new OaiError('badVerb', `The verb ${found}, expected one of ${Object.keys(VERBS).join(', ')}.`);
  }
  const names = args.map(([name]) => name).filter((name) => name !== 'verb');
  const known = [...expected.required, ...expected.optional];
  const isResumed = expected.resumes && names.includes('resumptionToken');
  const unknown = names.find((name) =>
    isResumed ? name !== 'resumptionToken' : !known.some((one) => one === name),
  );
  if (unknown !== undefined)
    throw bad(
      isResumed
        ? `A resumption token excludes the argument '${unknown}'.`
        : `${verb} has no argument '${unknown}', expected ${known.join(', ') || 'none'}.`,
    );
  // Names that are known are few, so one is repeated early.
  const repeated = names.find((name, at) => names.indexOf(name) < at);
  if (repeated !== undefined) throw bad(`The argument '${repeated}' is repeated.`);
  const missing = isResumed ? undefined : expected.required.find((name) => !names.includes(name));
  if (missing !== undefined) throw bad(`The argument '${missing}' is missing.`);
  return Object.fromEntries(args) as OaiRequest;
}

/** The arguments of a list; times are those of entries. */
export type ListRequest = {
  readonly prefix: string;
  readonly set: string | undefined;
  /** Only changes behind this time, and up to another one. */
  readonly after: string | undefined;
  readonly until: string | undefined;
  /** The moment that the list is of. */
  readonly at: string;
};

/**
 * Reads the arguments of a list from the request or from its token.
 *
 * @param line of history that a token has to be of
 * @throws OaiError `badArgument`, `badResumptionToken`
 */
export function listRequest(args: OaiRequest, line: string, now: string): ListRequest {
  const { resumptionToken, metadataPrefix = '', set, from, until } = args;
  if (resumptionToken !== undefined) return readToken(resumptionToken, line);
  if (from !== undefined && until !== undefined && from.length !== until.length)
    throw bad(`The arguments 'from' and 'until' are of different granularity.`);
  const start = from === undefined ? undefined : timeIn('from', from, '00:00:00', '000000');
  const end = until === undefined ? undefined : timeIn('until', until, '23:59:59', '999999');
  if (start !== undefined && end !== undefined && start > end)
    throw bad(`The argument 'from' is after 'until'.`);
  const after = start === undefined ? undefined : timeOf(Math.max(0, microsecondsOf(start) - 1));
  return { prefix: metadataPrefix, set, after, until: end, at: now };
}

/** A day or a second: its first or its last microsecond. */
function timeIn(name: string, text: string, ofDay: string, fraction: string): string {
  const [, day, second = ofDay] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d)Z)?$/.exec(text) ?? [];
  const time = new Date(`${day}T${second}Z`);
  // Days that do not exist, such as 30 February, become others.
  if (Number.isNaN(time.getTime()) || !time.toISOString().startsWith(`${day}T${second}`))
    throw bad(`The argument '${name}' is '${text}', expected a date as 2026-05-01 or 2026-05-01T12:00:00Z.`);
  return `${day}T${second}.${fraction}+00:00`;
}

const TIME = /^\d{1,16}$/;

/** A resumption token: the request, with its times in microseconds. */
export function tokenOf({ prefix, set = '', after, until, at }: ListRequest, line: string): string {
  const times = [after, until, at].map((time) => (time === undefined ? '' : microsecondsOf(time)));
  return [line, prefix, ...times, set].join(',');
}

function readToken(token: string, line: string): ListRequest {
  const [ofLine, prefix = '', after = '', until = '', at = '', ...set] = token.split(',');
  const areTimes = [after, at].every((time) => TIME.test(time)) && (until === '' || TIME.test(until));
  if (ofLine !== line || !areTimes || !Object.hasOwn(METADATA_FORMATS, prefix)) throw badToken();
  const [start, end, moment] = [after, until, at].map((time) =>
    time === '' ? undefined : timeOf(Number(time)),
  );
  return { prefix, set: set.join(',') || undefined, after: start, until: end, at: moment! };
}

function bad(message: string): OaiError {
  return new OaiError('badArgument', message);
}

/** The refusal of a resumption token. */
export function badToken(): OaiError {
  return new OaiError(
    'badResumptionToken',
    'The resumption token is invalid or of another history. Begin again.',
  );
}
