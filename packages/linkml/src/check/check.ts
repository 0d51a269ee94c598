/**
 * Checks records against the classes of a schema, in one pass: the canonical record, or every problem with its path.
 *
 * The check of a class is compiled into closures when it is first needed, and kept.
 */

import type { Definitions } from '../define/define.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { ClassDefinition, SlotDefinition } from '../model.ts';
import { candidatesIn, didYouMean, type SuggestionBudget, suggestionBudget } from '../suggestions.ts';
import { identitiesDiffer } from './identities.ts';
import { compileObject, compileSlotOf, refuseNull, refuseSlot } from './objects.ts';
import { compilePolymorphic } from './polymorphic.ts';
import type { CheckProblem, ProblemType } from './problem.ts';
import { inside, ROOT, type Run, reported, startRun, type ValueCheck } from './report.ts';
import { compileClassExpression } from './rules.ts';
import type { ValueContext } from './values.ts';

/** The result of a check: the canonical record, or all problems of the record. */
export type Checked<T = JsonObject> =
  | { readonly valid: true; readonly record: T }
  | { readonly valid: false; readonly problems: readonly CheckProblem[] };

/** The result of the check of one slot: its canonical value, or all problems of the value. */
export type CheckedSlot =
  | { readonly valid: true; readonly value: JsonValue }
  | { readonly valid: false; readonly problems: readonly CheckProblem[] };

/** How strictly a record is checked. */
export type CheckOptions = {
  /** Accept values only in the JSON type of their slot: `"5"` is not an integer. Default `false`. */
  readonly strict?: boolean;
  /**
   * `resolve`: identifiers and references need a known prefix or `scheme://`, and no two objects share an identifier.
   * `any`: any string. The default is that with which the schema was opened.
   */
  readonly identifiers?: 'resolve' | 'any';
  /**
   * Whether a date or datetime may be a number, or digits in a string, which then counts seconds or milliseconds since 1970, and
   * may have digits of a second beyond the sixth, which are dropped. Default `accept`, as pydantic reads JSON; a strict check
   * refuses them.
   */
  readonly timestamps?: 'accept' | 'refuse';
  /** What suggestions may cost; a request that checks many records has one for all. Default: enough for one record. */
  readonly suggestions?: SuggestionBudget;
};

export type Checker = {
  check(className: string, value: unknown, options?: CheckOptions): Checked;
  checkSlot(className: string, slotName: string, value: unknown, options?: CheckOptions): CheckedSlot;
};

/** The checker of a schema. It does nothing until a class is checked for the first time. */
export function buildChecker(
  definitions: Definitions,
  defaultIdentifiers: NonNullable<CheckOptions['identifiers']>,
): Checker {
  const { exact, slotCheck } = compiledChecks(definitions);
  const { refuseClass, unknownClass } = classRefusals(definitions);
  /** Of classes that have been checked as records. */
  const records = new Map<string, ValueCheck>();

  const runOf = ({
    strict = false,
    identifiers = defaultIdentifiers,
    timestamps = strict ? 'refuse' : 'accept',
  }: CheckOptions) => startRun(strict, identifiers === 'any', timestamps === 'accept');

  function check(className: string, value: unknown, options: CheckOptions = {}): Checked {
    let compiled = records.get(className);
    if (!compiled) {
      const refused = refuseClass(className, options);
      if (refused) return refused;
      compiled = exact(className);
      records.set(className, compiled);
    }
    const run = runOf(options);
    const record = compiled(value as JsonValue, ROOT, run);
    return record === undefined || !identitiesDiffer(record, run, definitions.prefixes)
      ? refuse(run, options)
      : { valid: true, record: record as JsonObject };
  }

  function checkSlot(
    className: string,
    slotName: string,
    value: unknown,
    options: CheckOptions = {},
  ): CheckedSlot {
    const definition = definitions.classes.get(className);
    if (!definition) return unknownClass(className, options);
    const slot = definition.slots.get(slotName);
    const run = runOf(options);
    let canonical: JsonValue | undefined;
    if (!slot) refuseSlot(slotName, definition, ROOT, run);
    else if (value === null || value === undefined)
      canonical = refuseNull(slotName, definition, ROOT, run) ? null : undefined;
    else canonical = slotCheck(definition, slot)(value as JsonValue, inside(ROOT, slotName), run);
    return canonical === undefined ? refuse(run, options) : { valid: true, value: canonical };
  }

  return { check, checkSlot };
}

type CompiledChecks = {
  /** Of objects of exactly this class. */
  exact(className: string): ValueCheck;
  slotCheck(definition: ClassDefinition, slot: SlotDefinition): ValueCheck;
};

/** The checks of classes and slots, each compiled when it is first asked for. */
function compiledChecks(definitions: Definitions): CompiledChecks {
  const objects = new Map<string, ValueCheck>();
  const slots = new Map<string, ValueCheck>();
  const polymorphic = new Map<string, ValueCheck>();

  function exact(className: string): ValueCheck {
    const before = objects.get(className);
    if (before) return before;
    const check = compileObject(context.classOf(className), context);
    objects.set(className, check);
    return check;
  }

  /** Objects of this class or, if it has a type designator, of a subclass that can have objects. */
  function inlined(className: string): ValueCheck {
    const before = polymorphic.get(className);
    if (before) return before;
    const definition = context.classOf(className);
    const below = definition.typeDesignator
      ? definitions.descendants(className).map(context.classOf)
      : [definition];
    const concrete = below.filter((one) => !one.abstract);
    const check =
      concrete.length > 1 || (definition.abstract && concrete.length > 0)
        ? compilePolymorphic(concrete, exact)
        : exact(className);
    polymorphic.set(className, check);
    return check;
  }

  const context: ValueContext = {
    prefixes: definitions.prefixes,
    terms: definitions.terms,
    compilePattern: definitions.compilePattern,
    classOf: (name) => definitions.classes.get(name) as ClassDefinition,
    objectCheck: inlined,
    branchOfObject: (expression) => compileClassExpression(expression, context, 'fulfilled'),
  };

  return {
    exact,
    slotCheck(definition, slot) {
      const key = `${definition.name} ${slot.name}`;
      const check = slots.get(key) ?? compileSlotOf(definition, slot, context);
      slots.set(key, check);
      return check;
    },
  };
}

type ClassRefusals = {
  /** The answer to records of a class of which there are none. */
  refuseClass(className: string, options: CheckOptions): Refused | undefined;
  unknownClass(className: string, options: CheckOptions): Refused;
};

function classRefusals(definitions: Definitions): ClassRefusals {
  const classNames = candidatesIn(() => definitions.classes.keys());
  const abstract = new Map<string, Refused>();

  function unknownClass(className: string, { suggestions }: CheckOptions): Refused {
    const hint = didYouMean(className, classNames, undefined, suggestions);
    return invalidObject('class_unknown', `The schema has no class ${className}.${hint}`);
  }

  function abstractClass(className: string): Refused {
    const below = [...definitions.classes.values()].filter(
      (one) => !one.abstract && one.ancestors.includes(className),
    );
    const named = below.slice(0, 3).map(({ name }) => name);
    const such = named.length === 0 ? '' : `, such as ${named.join(', ')}`;
    const msg = `The class ${className} is abstract: use one of its subclasses${such}.`;
    return invalidObject('abstract_class', msg);
  }

  return {
    unknownClass,
    refuseClass(className, options) {
      const definition = definitions.classes.get(className);
      if (!definition) return unknownClass(className, options);
      if (!definition.abstract) return undefined;
      const refused = abstract.get(className) ?? abstractClass(className);
      abstract.set(className, refused);
      return refused;
    },
  };
}

type Refused = Extract<Checked, { valid: false }>;

function refuse(run: Run, { suggestions = suggestionBudget() }: CheckOptions): Refused {
  return { valid: false, problems: reported(run, suggestions) };
}

function invalidObject(type: ProblemType, msg: string): Refused {
  return { valid: false, problems: [{ type, loc: [], msg }] };
}
