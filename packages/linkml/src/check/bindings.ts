/**
 * `bindings`: terms in slots of inlined objects, and the labels beside them. An identifier that exists but means something
 * else shows in its label.
 */
import { isJsonObject, type JsonValue } from '../json.ts';
import type { Binding } from '../model.ts';
import { spendSuggestion } from '../suggestions.ts';
import { compileValueSet } from '../terms/value-sets.ts';
import { foldLabel, possibleIds, type Term, type Vocabulary } from '../terms/vocabulary.ts';
import { enumCheck } from './enum-check.ts';
import { type Accepted, inside, type RecordPath, type Run, reportProblem, shownValue } from './report.ts';
import { refuseTerm, shownTerm, type TermContext } from './terms.ts';
import type { ValueTest } from './value-test.ts';

/** Judges the object that has a bound value (undefined for a value by itself), and the value. */
type BoundTest = (object: JsonValue | undefined, value: JsonValue, at: RecordPath, run: Run) => Accepted;

/** Compiles the bindings of a slot; undefined if it has none. */
export function bindingsTest(
  bindings: readonly Binding[] | undefined,
  context: TermContext,
): ValueTest | undefined {
  if (bindings === undefined) return undefined;
  const tests = bindings.map((binding) => bindingTest(binding, context));
  return (canonical, given, at, run) => tests.map((test) => test(canonical, given, at, run)).every(Boolean);
}

function bindingTest(binding: Binding, context: TermContext): ValueTest {
  const bound = boundTest(binding, context);
  const { path, required } = binding;
  const walk = (value: JsonValue, depth: number, at: RecordPath, run: Run): Accepted => {
    if (Array.isArray(value))
      return value.map((member, index) => walk(member, depth, inside(at, index), run)).every(Boolean);
    const step = path[depth];
    if (step === undefined) return bound(undefined, value, at, run);
    if (!isJsonObject(value)) return true;
    const inner = value[step];
    const place = inside(at, step);
    if (inner === undefined || inner === null) return !required || refuseMissing(place, run);
    if (depth + 1 < path.length) return walk(inner, depth + 1, place, run);
    if (!Array.isArray(inner)) return bound(value, inner, place, run);
    return inner.map((one, index) => bound(value, one, inside(place, index), run)).every(Boolean);
  };
  return (canonical, _given, at, run) => walk(canonical, 0, at, run);
}

function refuseMissing(at: RecordPath, run: Run): Accepted {
  const msg = 'found nothing, expected a value, because a binding requires it.';
  return reportProblem(run, 'missing', at, msg);
}

function boundTest(binding: Binding, context: TermContext): BoundTest {
  const { enum: bound, labels } = binding;
  const judge = bound?.terms && compileValueSet(bound.terms, bound.form, context.prefixes);
  const check = bound && enumCheck(bound, context).check;
  return (object, value, at, run) => {
    const isJudged = judge && typeof value === 'string';
    if (check && !isJudged && check(value, at, run) === undefined) return false;
    if (typeof value !== 'string') return true;
    let member: Term | undefined;
    if (judge) {
      const verdict = judge(value);
      if (verdict.kind !== 'member')
        return refuseTerm({ value, verdict, label: labelIn(object, labels) }, bound!, at, run, context);
      member = verdict.term;
      if (member && labels.length === 0) return true;
    }
    const found = member ? { term: member, covered: undefined } : termOf(value, context);
    if (found.covered && !found.term) {
      const label = labelIn(object, labels);
      const { covered } = found;
      const msg = `found ${shownValue(value)}, which is not a term of the vocabulary.`;
      return reportProblem(run, 'term_unknown', at, msg, value, undefined, (budget) => {
        const isAfforded = label !== undefined && spendSuggestion(budget);
        const guess = isAfforded ? covered.nearest(label, budget) : undefined;
        return guess ? ` Did you mean ${shownTerm(guess.id, [covered], undefined, context.prefixes)}?` : '';
      });
    }
    return !found.term || !isJsonObject(object)
      ? true
      : labels.map((slot) => labelFits(found.term!, value, object[slot], slot, at, run)).every(Boolean);
  };
}

/** The label that an object has beside its term. */
function labelIn(object: JsonValue | undefined, slots: readonly string[]): string | undefined {
  const given = slots.map((slot) => isJsonObject(object) && object[slot]).find((one) => one);
  return typeof given === 'string' ? given : undefined;
}

/** The term of a value, and the vocabulary that it has to be in. */
function termOf(
  value: string,
  { terms, prefixes }: TermContext,
): { term: Term | undefined; covered: Vocabulary | undefined } {
  const ids = possibleIds(value, prefixes);
  let covered: Vocabulary | undefined;
  for (const vocabulary of Object.values(terms)) {
    for (const id of ids) {
      const term = vocabulary.term(id);
      if (term) return { term, covered: vocabulary };
      if (vocabulary.covers(id)) covered ??= vocabulary;
    }
  }
  return { term: undefined, covered };
}

/** Whether a label is that of the term; of a list, one of them. */
function labelFits(
  term: Term,
  value: string,
  given: JsonValue | undefined,
  slot: string,
  at: RecordPath,
  run: Run,
): Accepted {
  const labels = (Array.isArray(given) ? given : [given]).filter((one) => typeof one === 'string');
  if (labels.length === 0 || term.label === undefined) return true;
  const right = foldLabel(term.label);
  if (labels.some((label) => foldLabel(label) === right)) return true;
  const place = inside(outer(at), slot);
  const isSynonym = term.synonyms.some((synonym) =>
    labels.some((label) => foldLabel(label) === foldLabel(synonym)),
  );
  const what = isSynonym ? ', a synonym,' : '';
  return reportProblem(
    run,
    'label_mismatch',
    place,
    `found ${shownValue(labels[0])}${what} for ${value}, expected ${JSON.stringify(term.label)}.`,
    labels[0],
    Array.isArray(given) ? undefined : term.label,
  );
}

/** The object that has a slot, or a value of a list in a slot. */
function outer(at: RecordPath): RecordPath {
  return at.isSlot ? at.parent! : outer(at.parent!);
}
