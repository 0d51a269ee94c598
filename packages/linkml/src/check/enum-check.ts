/** The check of a value of an enumeration. */
import type { JsonValue } from '../json.ts';
import type { EnumDefinition } from '../model.ts';
import { candidatesIn, didYouMean } from '../suggestions.ts';
import { compileValueSet } from '../terms/value-sets.ts';
import { unquotedBoolean } from '../yaml/scalars.ts';
import {
  attempt,
  either,
  type FoundProblem,
  isFull,
  type RecordPath,
  type Run,
  refuseSurrogate,
  reportUnexpected,
  type ValueCheck,
} from './report.ts';
import { type RefusedTerm, refuseTerm, type TermContext } from './terms.ts';

/** Compiles the check of one value. An open enum without a vocabulary accepts any string, unless the check is strict. */
export function enumCheck(definition: EnumDefinition, context: TermContext): RangeCheck {
  const expects =
    definition.open && !definition.terms
      ? 'text'
      : either([...definition.values.keys()].map((text) => JSON.stringify(text)));
  const { open, values, terms, missing, form, name } = definition;
  const candidates = candidatesIn(() => values.keys());
  const hintAtBoolean = booleanHint(values);
  const meantBy = aliasReader(values);
  const judge = terms && compileValueSet(terms, form, context.prefixes);
  const refuse = (value: JsonValue, at: RecordPath, run: Run): undefined => {
    if (isFull(run)) return undefined;
    return reportUnexpected(run, 'enum', at, value, `${expects} (${name})`, (budget) => {
      if (typeof value !== 'string') return hintAtBoolean(value);
      const meant = meantBy(value);
      if (meant !== undefined) return ` Did you mean ${JSON.stringify(meant)}?`;
      return didYouMean(value, candidates, JSON.stringify, budget) + hintAtBoolean(value);
    });
  };
  const check: ValueCheck = (value, at, run) => {
    if (typeof value !== 'string') return refuse(value, at, run);
    if (judge) {
      const verdict = judge(value);
      if (verdict.kind === 'member') return value;
      const refused: RefusedTerm = { value, verdict, label: undefined };
      return isFull(run) ? undefined : refuseTerm(refused, definition, at, run, context);
    }
    if (values.has(value)) return value;
    if (!open) return refuse(value, at, run);
    if (!run.strict || missing.length === 0) return value.isWellFormed() ? value : refuseSurrogate(at, run);
    const expected = `a value of ${name}, which cannot be checked without the vocabulary ${either(missing)}`;
    return reportUnexpected(run, 'vocabulary_missing', at, value, expected);
  };
  return { check, fit: () => 0, expects: `a value of ${name}` };
}

/** Finds the value that an alias stands for, in any case; undefined if it stands for none or several. */
function aliasReader(values: EnumDefinition['values']): (word: string) => string | undefined {
  let byAlias: Map<string, string | undefined> | undefined;
  return (word) => {
    if (!byAlias) {
      byAlias = new Map();
      for (const { text, aliases } of values.values())
        for (const alias of aliases.map((one) => one.toLowerCase()))
          byAlias.set(alias, byAlias.has(alias) && byAlias.get(alias) !== text ? undefined : text);
    }
    return byAlias.get(word.toLowerCase());
  };
}

/** Explains values that YAML 1.1 made booleans, since they have no quotes in the record or in the schema. */
function booleanHint(values: EnumDefinition['values']): (value: JsonValue) => string {
  const hints = new Map<boolean, string>();
  return (value) => {
    const truth = typeof value === 'string' ? unquotedBoolean(value) : value;
    if (typeof truth !== 'boolean') return '';
    const inSchema = nameOf(truth);
    if (typeof value === 'string')
      return values.has(inSchema)
        ? ` YAML 1.1 reads ${value} without quotes as ${truth}, so the schema has "${inSchema}" in place of such a word: write "${value}" with quotes there.`
        : '';
    const hint = hints.get(truth) ?? hintFor(truth, values);
    hints.set(truth, hint);
    return hint;
  };
}

/** The name that a boolean has as a value of an enum. */
function nameOf(truth: boolean): string {
  return truth ? 'True' : 'False';
}

function hintFor(truth: boolean, values: EnumDefinition['values']): string {
  const inSchema = nameOf(truth);
  const ofSchema = `the schema has "${inSchema}" in place of such a word`;
  const word = [...values.keys()].find((text) => text !== inSchema && unquotedBoolean(text) === truth);
  if (word !== undefined)
    return ` YAML 1.1 reads ${word} without quotes as ${truth}: write "${word}" with quotes.`;
  const such = truth ? 'yes or on' : 'NO, no or off';
  return values.has(inSchema)
    ? ` YAML 1.1 reads words such as ${such} without quotes as ${truth}, and ${ofSchema}: write it with quotes in both.`
    : '';
}

/** A check, with how well an accepted value fits (2 unchanged, 0 reinterpreted). */
export type RangeCheck = {
  readonly check: ValueCheck;
  fit(value: JsonValue): number;
  readonly expects: string;
};

/** The branch that fits best, of equals the first; if none takes the value, what the likeliest one has against it. */
export function unionCheck(branches: readonly RangeCheck[]): RangeCheck {
  const expects = either(branches.map((branch) => branch.expects));
  const check: ValueCheck = (value, at, run) => {
    let best: JsonValue | undefined;
    let bestFit = -1;
    let complaint: readonly FoundProblem[] | undefined;
    for (const branch of branches) {
      const fit = branch.fit(value);
      if (fit <= bestFit) continue;
      const { result, problems } = attempt(run, () => branch.check(value, at, run));
      if (result !== undefined) {
        best = result;
        bestFit = fit;
      } else if (fit > 0 && (!complaint || problems.length < complaint.length)) complaint = problems;
    }
    if (best !== undefined) return best;
    if (!complaint) return reportUnexpected(run, 'union', at, value, expects);
    run.problems.push(...complaint);
    return undefined;
  };
  return { check, fit: (value) => Math.max(...branches.map((branch) => branch.fit(value))), expects };
}
