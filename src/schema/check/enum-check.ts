/** The check of a value of an enumeration. */
import type { JsonValue } from '../../json.ts';
import type { EnumDefinition } from '../model.ts';
import { didYouMean } from '../suggestions.ts';
import { compileValueSet } from '../terms/value-sets.ts';
import {
  either,
  isFull,
  type RecordPath,
  type Run,
  refuseSurrogate,
  reportUnexpected,
  type ValueCheck,
} from './report.ts';
import { type RefusedTerm, refuseTerm, type TermContext } from './terms.ts';
import type { RangeCheck } from './unions.ts';

/** Compiles the check of one value. An open enum without a vocabulary accepts any string, unless the check is strict. */
export function enumCheck(definition: EnumDefinition, context: TermContext): RangeCheck {
  const expects =
    definition.open && !definition.terms
      ? 'text'
      : either([...definition.values.keys()].map((text) => JSON.stringify(text)));
  const { open, values, terms, missing, form, name } = definition;
  const judge = terms && compileValueSet(terms, form, context.prefixes);
  const refuse = (value: JsonValue, at: RecordPath, run: Run): undefined => {
    if (isFull(run)) return undefined;
    const hint = typeof value === 'string' ? didYouMean(value, values.keys(), JSON.stringify) : '';
    return reportUnexpected(run, 'enum', at, value, `${expects} (${name})`, hint);
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
