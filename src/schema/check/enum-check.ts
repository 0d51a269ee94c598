/** The check of a value of an enumeration. */
import type { EnumDefinition } from '../model.ts';
import { nearest } from '../suggestions.ts';
import {
  either,
  isFull,
  refuseSurrogate,
  reportProblem,
  shownValue,
  slotOf,
  type ValueCheck,
} from './report.ts';
import type { RangeCheck } from './unions.ts';

/** Compiles the check of one value. An open enum accepts any string. */
export function enumCheck(definition: EnumDefinition): RangeCheck {
  const expects = definition.open
    ? 'text'
    : either([...definition.values.keys()].map((text) => JSON.stringify(text)));
  const check: ValueCheck = (value, at, run) => {
    if (typeof value === 'string') {
      if (definition.values.has(value)) return value;
      if (definition.open) return value.isWellFormed() ? value : refuseSurrogate(at, run);
    }
    if (isFull(run)) return undefined;
    const guess = typeof value === 'string' ? nearest(value, definition.values.keys()) : undefined;
    const hint = guess === undefined ? '' : ` Did you mean ${JSON.stringify(guess)}?`;
    return reportProblem(
      run,
      'enum',
      at,
      `${slotOf(at)}: found ${shownValue(value)}, expected ${expects} (${definition.name}).${hint}`,
      value,
    );
  };
  return { check, fit: () => 0, expects: `a value of ${definition.name}` };
}
