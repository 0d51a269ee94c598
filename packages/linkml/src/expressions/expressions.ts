/**
 * `equals_expression`: arithmetic, comparisons and text over the slots of an object, in LinkML's small part of Python.
 *
 *     {weight} / {height} ** 2
 *     case(({age} < 18, "minor"), (True, "adult"))
 *     str({first}) + " " + {last}
 *
 * `{slot}` yields nothing if the slot is missing, and then the whole yields nothing; a bare `slot` is the same.
 */
import { type JsonObject, type JsonValue, Numeral } from '../json.ts';
import { parseExpression } from './expression-syntax.ts';
import { NoValue, type Value } from './operations.ts';

/** Yields undefined if there is nothing to compare with. */
export type Evaluate = (object: JsonObject) => JsonValue | undefined;

/** @throws SyntaxError for an expression that is not of the language */
export function compileExpression(source: string): Evaluate {
  const node = parseExpression(source);
  return (object) => {
    try {
      const value = node((name) =>
        plainValue(Object.hasOwn(object, name) ? (object[name] as JsonValue) : null),
      );
      return value === null ? undefined : (value as JsonValue);
    } catch (error) {
      if (error instanceof NoValue) return undefined;
      throw error;
    }
  };
}

function plainValue(value: JsonValue): Value {
  if (value instanceof Numeral) return Number(value.source);
  if (Array.isArray(value)) return value.map(plainValue);
  if (value !== null && typeof value === 'object') throw new NoValue();
  return value;
}
