/** The values of expressions, and the operators and functions on them. */
export type Value = number | string | boolean | null | Value[];
export type Node = (scope: Scope) => Value;
type Scope = (name: string) => Value;

/** Thrown within an evaluation that has no value. */
export class NoValue extends Error {}

function number(value: Value): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  throw new NoValue();
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new NoValue();
  return value;
}

function addValues(a: Value, b: Value): Value {
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (Array.isArray(a) && Array.isArray(b)) return [...a, ...b];
  return number(a) + number(b);
}

function equal(a: Value, b: Value): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function before(a: Value, b: Value): boolean {
  return typeof a === 'string' && typeof b === 'string' ? a < b : number(a) < number(b);
}

/** Operators of two values. */
export const OPERATORS: Record<string, (a: Value, b: Value) => Value> = {
  '+': addValues,
  '-': (a, b) => number(a) - number(b),
  '*': (a, b) => number(a) * number(b),
  '/': (a, b) => finite(number(a) / number(b)),
  '//': (a, b) => finite(Math.floor(number(a) / number(b))),
  '%': (a, b) => finite(number(a) - number(b) * Math.floor(number(a) / number(b))),
  '**': (a, b) => finite(number(a) ** number(b)),
  '==': equal,
  '!=': (a, b) => !equal(a, b),
  '<': before,
  '<=': (a, b) => before(a, b) || equal(a, b),
  '>': (a, b) => before(b, a),
  '>=': (a, b) => before(b, a) || equal(a, b),
};

const members = (values: Value[]): Value[] =>
  values.length === 1 && Array.isArray(values[0]) ? values[0] : values;

const extreme = (values: Value[], take: (a: Value, b: Value) => Value): Value => {
  const all = members(values);
  if (all.length === 0) throw new NoValue();
  return all.reduce(take);
};

/** Functions that may be called. */
export const FUNCTIONS: Record<string, (...values: Value[]) => Value> = {
  max: (...values) => extreme(values, (a, b) => (before(a, b) ? b : a)),
  min: (...values) => extreme(values, (a, b) => (before(b, a) ? b : a)),
  sum: (...values) => members(values).reduce((total: number, value) => total + number(value), 0),
  len: (value = null) => length(value),
  strlen: (value = null) => length(value),
  abs: (value = null) => Math.abs(number(value)),
  round: (value = null, digits = 0) => Number(number(value).toFixed(number(digits))),
  int: (value = null) => Math.trunc(Number(value)),
  float: (value = null) => finite(Number(value)),
  str: (value = null) => (typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value)),
  bool: (value = null) => truth(value),
};

function length(value: Value): number {
  if (typeof value === 'string') return [...value].length;
  if (Array.isArray(value)) return value.length;
  throw new NoValue();
}

/** Whether a value counts as true, as in Python. */
export function truth(value: Value): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}
