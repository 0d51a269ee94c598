/**
 * Checks of a single value against its range: types, enums, references, inlined objects, unions.
 */

import { isAbsoluteIri, type Prefixes } from '../curie.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import type { ClassDefinition, SlotDefinition, SlotExpression, SlotRange, TypeDefinition } from '../model.ts';
import type { PatternCompiler } from '../patterns/patterns.ts';
import { type Candidates, candidatesIn, didYouMean } from '../suggestions.ts';
import type { Terms } from '../terms/vocabulary.ts';
import { isNumber } from '../types/numbers.ts';
import { isTimestamp, losesDigits } from '../types/temporal.ts';
import { BUILT_IN_TYPES, type BuiltInKind, isAnyText } from '../types/types.ts';
import { unquotedTime } from '../yaml/scalars.ts';
import { copyAny } from './any.ts';
import { arrayCheck, describeShape } from './arrays.ts';
import {
  type BranchCompiler,
  type BranchTest,
  compileConstraints,
  type ObjectCompiler,
} from './constraints.ts';
import { enumCheck, type RangeCheck, unionCheck } from './enum-check.ts';
import { jsonForm } from './json-form.ts';
import {
  compiledLate,
  isFull,
  type RecordPath,
  type Run,
  refuseSurrogate,
  reportProblem,
  reportUnexpected,
  shownValue,
  type ValueCheck,
} from './report.ts';

/** The parts of the schema that checks of values read. */
export type ValueContext = {
  readonly prefixes: Prefixes;
  /** The vocabularies that the schema was opened with. */
  readonly terms: Terms;
  readonly compilePattern: PatternCompiler;
  classOf(name: string): ClassDefinition;
  /** The check of a value where an object of the class is expected. */
  objectCheck(className: string): ValueCheck;
  /** Whether an object satisfies a class expression. */
  readonly branchOfObject: ObjectCompiler;
};

export function compileRange(range: SlotRange, context: ValueContext): RangeCheck {
  switch (range.kind) {
    case 'type':
      return typeCheck(range.type, context);
    case 'enum':
      return enumCheck(range.enum, context);
    case 'class':
      return range.inlining === 'reference'
        ? referenceCheck(range.className, context)
        : objectRange(range.className, context);
    case 'any':
      return { check: copyAny, fit: () => 2, expects: 'any value' };
    case 'array':
      return {
        check: arrayCheck(compileRange(range.of, context).check, range.shape),
        fit: (value) => (Array.isArray(value) ? 2 : 0),
        expects: describeShape(range.shape),
      };
    case 'union':
      return unionCheck(range.alternatives.map((alternative) => compileRange(alternative, context)));
  }
}

/** Compiles a branch of a boolean expression. */
export function branchCompiler(context: ValueContext): BranchCompiler {
  const compile = (expression: SlotExpression): BranchTest => {
    const range = expression.range && compileRange(expression.range, context);
    const constraints = compileConstraints(expression, context, compile);
    return (canonical, given, at, run, strict) => {
      let value = canonical;
      if (range) {
        const read = range.check(given, at, run);
        if (read === undefined) return false;
        if (strict && range.fit(given) === 0 && !fitsAsText(given, read)) {
          return reportUnexpected(run, 'strict', at, given, range.expects);
        }
        value = read;
      }
      return !constraints || constraints(value, given, at, run);
    };
  };
  return compile;
}

/** A date given as a string: an unchanged value is an exact match, not a conversion. */
function fitsAsText(given: JsonValue, read: JsonValue): boolean {
  return typeof given === 'string' && given === read;
}

function typeCheck(type: TypeDefinition, context: ValueContext): RangeCheck {
  if (type.unionOf.length > 0)
    return constrained(unionCheck(type.unionOf.map((member) => typeCheck(member, context))), type, context);
  const row = BUILT_IN_TYPES.get(type.base)!;
  const hasJsonType = jsonTypeTest(row.kind);
  const expects = type.name === type.base ? row.expects : `${row.expects} (${type.name})`;
  const { coerce } = row;
  /** Returns the canonical form of a value that is not in it, or refuses the value. */
  const convert = (value: JsonValue, canonical: JsonValue | undefined, at: RecordPath, run: Run) => {
    if (canonical === undefined || (run.strict && !hasJsonType(value))) {
      const form = jsonForm(value);
      const hint = row.kind === 'time' ? timeHint(value) : '';
      return Object.is(form, value)
        ? refuseType(value, at, run, row.kind, expects, hint)
        : check(form, at, run);
    }
    if (typeof canonical === 'string' && !canonical.isWellFormed()) return refuseSurrogate(at, run);
    return canonical;
  };
  const isMoment = row.kind === 'date' || row.kind === 'datetime';
  const anyCheck: ValueCheck = (value, at, run) => {
    if (isMoment && !run.timestamps) {
      if (isTimestamp(value)) return refuseType(value, at, run, row.kind, expects, NO_TIMESTAMP);
      if (losesDigits(value)) return refuseType(value, at, run, row.kind, expects, SIX_DIGITS);
    }
    const canonical = coerce(value);
    // A canonical form has the JSON type of its slot.
    const isCanonical = canonical !== undefined && canonical === value;
    if (isCanonical && (typeof value !== 'string' || value.isWellFormed())) return value;
    return convert(value, canonical, at, run);
  };
  const textCheck: ValueCheck = (value, at, run) =>
    typeof value === 'string' && value.isWellFormed() ? value : convert(value, coerce(value), at, run);
  const check = isAnyText(row) ? textCheck : anyCheck;
  return constrained({ check, fit: row.fit, expects }, type, context);
}

const NO_TIMESTAMP = ' A number is not read as the seconds since 1970.';
const SIX_DIGITS = ' At most six digits of a second are kept.';

/** Explains a number that YAML 1.1 has made of a time of day without quotes. */
function timeHint(value: JsonValue): string {
  const text = typeof value === 'number' ? unquotedTime(value) : undefined;
  return text === undefined
    ? ''
    : ` YAML 1.1 reads ${text} without quotes as ${value}: write "${text}" with quotes.`;
}

/** Whether a value has the JSON type that values of a built-in type are written in. */
function jsonTypeTest(kind: BuiltInKind): (value: JsonValue) => boolean {
  if (kind === 'int' || kind === 'float') return isNumber;
  if (kind === 'decimal') return (value) => isNumber(value) || typeof value === 'string';
  return kind === 'bool' ? (value) => typeof value === 'boolean' : (value) => typeof value === 'string';
}

function constrained(range: RangeCheck, type: TypeDefinition, context: ValueContext): RangeCheck {
  const constraints = compileConstraints(type.constraints, context, branchCompiler(context));
  if (!constraints) return range;
  return {
    ...range,
    check: (value, at, run) => {
      const canonical = range.check(value, at, run);
      // As in the Python tools an empty text is a value of every text type, whatever its pattern.
      if (canonical === '') return canonical;
      return canonical !== undefined && constraints(canonical, value, at, run) ? canonical : undefined;
    },
  };
}

function refuseType(
  value: JsonValue,
  at: RecordPath,
  run: Run,
  kind: BuiltInKind,
  expects: string,
  hint = '',
): undefined {
  if (isFull(run)) return undefined;
  const type = typeof value === 'string' ? (`${kind}_parsing` as const) : (`${kind}_type` as const);
  return reportUnexpected(run, type, at, value, expects, () => hint);
}

/**
 * The check of a value that names an object: of the type of the slot that names objects of its class and, unless it is
 * a number, resolvable: with a prefix that the schema knows, or with `scheme://`. The identifier of the record itself has
 * a prefix as the schema spells it, others may have it in any case.
 */
function namingCheck(slot: SlotDefinition, context: ValueContext, isOwn: boolean): ValueCheck {
  const { check } = compileRange(slot.range, context);
  if (slot.range.kind !== 'type') return check;
  return (value, at, run) => {
    const canonical = check(value, at, run);
    if (typeof canonical !== 'string' || run.anyIdentifiers || isAbsoluteIri(canonical)) return canonical;
    const colon = canonical.indexOf(':');
    const prefix = canonical.slice(0, Math.max(colon, 0));
    const { expand, expandReference } = context.prefixes;
    const resolve = isOwn && at.depth === 1 ? expand : expandReference;
    if (colon > 0 && resolve(canonical) !== undefined) return canonical;
    return refuseName(value, colon > 0 ? prefix : undefined, at, run, context);
  };
}

/** The prefixes of schemas, for suggestions. */
const prefixNames = new WeakMap<Prefixes, Candidates>();

function refuseName(
  value: JsonValue,
  prefix: string | undefined,
  at: RecordPath,
  run: Run,
  context: ValueContext,
): undefined {
  if (isFull(run)) return undefined;
  const found = `found ${shownValue(value)}`;
  if (prefix === undefined)
    return reportProblem(
      run,
      'no_prefix',
      at,
      `${found}, expected a CURIE (prefix:name) or a URI (scheme://…).`,
      value,
    );
  const { prefixes } = context;
  const candidates = prefixNames.get(prefixes) ?? candidatesIn(() => prefixes.map.keys());
  prefixNames.set(prefixes, candidates);
  return reportProblem(
    run,
    'prefix_unknown',
    at,
    `${found}, but the schema has no prefix '${prefix}'.`,
    value,
    undefined,
    (budget) => didYouMean(prefix, candidates, undefined, budget),
  );
}

/** The check of an identifier, or of a key, which is only a name within its container. */
export function identifierCheck(slot: SlotDefinition, context: ValueContext): ValueCheck {
  return slot.identifier ? namingCheck(slot, context, true) : compileRange(slot.range, context).check;
}

/** The slot that finally contains the name: a key may itself be a reference. None if that leads in a circle. */
function namingSlot(className: string, context: ValueContext): SlotDefinition | undefined {
  const seen = new Set<SlotDefinition>();
  for (let name = className; ; ) {
    const { identifier, key } = context.classOf(name);
    const handle = identifier ?? key;
    if (!handle || seen.has(handle)) return undefined;
    if (handle.range.kind !== 'class') return handle;
    seen.add(handle);
    name = handle.range.className;
  }
}

function referenceCheck(className: string, context: ValueContext): RangeCheck {
  const handle = namingSlot(className, context);
  const expects = `a reference to a ${className} (its ${handle?.name ?? 'identifier'})`;
  const inner: ValueCheck = handle
    ? namingCheck(handle, context, false)
    : (value, at, run) => (typeof value === 'string' ? value : refuseType(value, at, run, 'string', expects));
  const check: ValueCheck = (value, at, run) => {
    if (typeof value === 'string' || !(isJsonObject(value) || Array.isArray(value)))
      return inner(value, at, run);
    return reportUnexpected(run, 'reference_type', at, value, expects);
  };
  return { check, fit: (value) => (typeof value === 'string' ? 2 : 0), expects };
}

function objectRange(className: string, context: ValueContext): RangeCheck {
  return {
    check: compiledLate(() => context.objectCheck(className)),
    fit: (value) => (isJsonObject(value) ? 2 : 0),
    expects: `a ${className}`,
  };
}
