/**
 * The position of a check, and what it has found: the path to a value, and the problems of one run.
 */
import { type JsonValue, Numeral } from '../json.ts';
import { STEPS } from '../patterns/patterns.ts';
import { longExcerpt } from '../position.ts';
import { type SuggestionBudget, withShare } from '../suggestions.ts';
import { jsonForm } from './json-form.ts';
import type { CheckProblem, ProblemType } from './problem.ts';

/** A place in a record. The path is only written out when there is a problem. */
export type RecordPath = {
  readonly parent: RecordPath | undefined;
  /** An object or list moves one path along its members, so a path is only valid during the call that it is passed to. */
  key: string | number;
  /** Whether the key names a slot; the others are indexes and keys of containers. */
  readonly isSlot: boolean;
  /** How many containers are around it. */
  readonly depth: number;
};

/** A problem that a run has found. Its suggestion is looked for when the problem is reported: many are discarded. */
export type FoundProblem = CheckProblem & { readonly suggest?: Suggest };

/** Returns another sentence of a message, behind a blank; empty if there is none. */
type Suggest = (budget: SuggestionBudget) => string;

/** One check of one record. */
export type Run = {
  problems: FoundProblem[];
  /** Whether values are only accepted in the JSON type of their slot. */
  readonly strict: boolean;
  /** Whether identifiers and references may be any strings. */
  readonly anyIdentifiers: boolean;
  /** Whether numbers and digits are dates and datetimes, as seconds since 1970, and digits beyond microseconds are dropped. */
  readonly timestamps: boolean;
  /** The steps that patterns have left in this record. */
  patternBudget: number;
  /** Objects of mappings with the key that was left out, by key slot: judged more than once, they stay the same objects. */
  longForms: Map<object, Map<string, JsonValue>> | undefined;
  /** The objects that have an identifier, with its slot, unless identifiers may be any strings. */
  identified: Map<object, string> | undefined;
  /** How many expressions with `is_a` are being judged, one inside another. */
  judging: number;
  /** Objects that expressions with `is_a` may still check: they check what the range has checked already. */
  recheckBudget: number;
  /** The verdicts of classes on objects without a type designator, so nothing is checked twice. */
  verdicts: Map<object, Map<string, Verdict>> | undefined;
};

export type Verdict = { readonly value: JsonValue | undefined; readonly problems: readonly FoundProblem[] };

/** Looks at a value: its canonical form, or undefined when it is refused and the problems are in the run. */
export type ValueCheck = (value: JsonValue, at: RecordPath, run: Run) => JsonValue | undefined;

/** A check that is compiled at its first use: classes may contain each other. */
export function compiledLate(compile: () => ValueCheck): ValueCheck {
  let check: ValueCheck | undefined;
  return (value, at, run) => {
    check ??= compile();
    return check(value, at, run);
  };
}

/** Whether a test accepts a value. If it does not, the problems are in the run. */
export type Accepted = boolean | undefined;

/** More problems than these are not listed. */
const MOST_PROBLEMS_REPORTED = 200;
/** Containers within containers. */
export const DEEPEST = 256;
/** Objects of a record that expressions check. */
const RECHECK_BUDGET = 100_000;
/** Steps of the patterns of a record: two texts of the greatest length. They take some 0.1 s, and requests of others wait meanwhile. */
const PATTERN_BUDGET = 2 * STEPS;

export const ROOT: RecordPath = { parent: undefined, key: '', isSlot: false, depth: 0 };

/** A run that has found nothing yet. */
export function startRun(strict: boolean, anyIdentifiers: boolean, timestamps: boolean): Run {
  return {
    problems: [],
    strict,
    anyIdentifiers,
    timestamps,
    patternBudget: PATTERN_BUDGET,
    longForms: undefined,
    identified: undefined,
    judging: 0,
    recheckBudget: RECHECK_BUDGET,
    verdicts: undefined,
  };
}

/** The place of a slot of an object, or of a member of a list. */
export function inside(parent: RecordPath, key: string | number): RecordPath {
  return { parent, key, isSlot: typeof key === 'string', depth: parent.depth + 1 };
}

/** The place of the value of a key of a mapping. */
export function entry(parent: RecordPath, key: string): RecordPath {
  return { parent, key, isSlot: false, depth: parent.depth + 1 };
}

/** The path to a place, from the root of the record. */
export function pathOf(place: RecordPath): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at: RecordPath = place; at.parent; at = at.parent) path.push(at.key);
  return path.reverse();
}

/** Tries something out: the problems that it notes are handed back, and are none of the run's. */
export function attempt<T>(
  run: Run,
  work: () => T,
): { readonly result: T; readonly problems: FoundProblem[] } {
  const outer = run.problems;
  run.problems = [];
  const result = work();
  const { problems } = run;
  run.problems = outer;
  return { result, problems };
}

/** Whether the list of problems is full; further ones need no message. */
export function isFull(run: Run): boolean {
  return run.problems.length > MOST_PROBLEMS_REPORTED;
}

/** Notes a problem of a value: the message begins with its slot. `input` is repeated if it is small. */
export function reportProblem(
  run: Run,
  type: ProblemType,
  at: RecordPath,
  msg: string,
  input?: JsonValue,
  instead?: string,
  suggest?: Suggest,
): undefined {
  if (isFull(run)) return undefined;
  return addProblem(run, type, at, `${slotOf(at)}: ${msg}`, input, instead, suggest);
}

/** Notes a problem with its whole message. */
export function addProblem(
  run: Run,
  type: ProblemType,
  at: RecordPath,
  msg: string,
  input?: JsonValue,
  instead?: string,
  suggest?: Suggest,
): undefined {
  if (run.problems.length === MOST_PROBLEMS_REPORTED)
    run.problems.push({
      type: 'too_many_problems',
      loc: [],
      msg: `The object has more problems than the ${MOST_PROBLEMS_REPORTED} in this list.`,
    });
  if (isFull(run)) return undefined;
  run.problems.push({
    type,
    loc: pathOf(at),
    msg,
    ...(isSmall(input) && { input }),
    ...(instead !== undefined && { instead }),
    ...(suggest !== undefined && { suggest }),
  });
  return undefined;
}

/** The problems of a run as they are reported. The suggestions of a record have a share of those of its request. */
export function reported({ problems }: Run, budget: SuggestionBudget): readonly CheckProblem[] {
  return withShare(budget, (share) =>
    problems.map(({ suggest, type, loc, msg, ...rest }) => ({
      type,
      loc,
      msg: suggest === undefined ? msg : msg + suggest(share),
      ...rest,
    })),
  );
}

/** Reports a value that is not what its slot expects. */
export function reportUnexpected(
  run: Run,
  type: ProblemType,
  at: RecordPath,
  value: JsonValue | undefined,
  expected: string,
  suggest?: Suggest,
): undefined {
  const msg = `found ${shownValue(value)}, expected ${expected}.`;
  return reportProblem(run, type, at, msg, value, undefined, suggest);
}

/** Reports a string with half a surrogate pair, which cannot be stored as UTF-8. */
export function refuseSurrogate(at: RecordPath, run: Run): undefined {
  const msg = 'the string has half a surrogate pair, which is not a character.';
  return reportProblem(run, 'string_unicode', at, msg);
}

function isSmall(input: JsonValue | undefined): boolean {
  if (input === undefined) return false;
  if (typeof input === 'string') return input.length <= 200;
  if (input instanceof Numeral) return input.source.length <= 200;
  return input === null || typeof input === 'number' || typeof input === 'boolean';
}

/** How a message names the slot that a place belongs to: the nearest name on the path. */
export function slotOf(at: RecordPath): string {
  for (let place: RecordPath | undefined = at; place; place = place.parent)
    if (place.isSlot) return shortName(String(place.key));
  return 'the record';
}

function shortName(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}

/** A value as messages show it; also one that JSON does not have. */
export function shownValue(value: JsonValue | undefined): string {
  if (value === undefined) return 'nothing';
  if (value instanceof Numeral)
    return value.source.length > 80 ? `${value.source.slice(0, 77)}…` : value.source;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (value !== null && typeof value === 'object') {
    const form = jsonForm(value);
    if (form !== value) return shownValue(form);
    return Object.keys(value).length === 0 ? 'an empty object' : 'an object';
  }
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  const text = typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…"` : text;
}

/** `a`, `a or b`, `a, b or c`; long lists end in a count. */
export function either(all: readonly string[], most = 12): string {
  const names = all.slice(0, most).map(longExcerpt);
  if (all.length > most) return `${names.join(', ')} or one of ${all.length - most} more`;
  return names.length < 2 ? (names[0] ?? 'nothing') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}
