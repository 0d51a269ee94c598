/**
 * `ifabsent`: the value that a missing slot gets.
 */
import type { JsonValue } from '../json.ts';
import type { SlotRange } from '../model.ts';
import { excerpt } from '../position.ts';
import { BUILT_IN_TYPES } from '../types/types.ts';

type DefaultContext = {
  readonly range: SlotRange;
  readonly multivalued: boolean;
  readonly slot: { readonly uri: string; readonly curie: string };
  readonly ofClass: { readonly uri: string; readonly curie: string };
  readonly defaultRange: string | undefined;
  readonly warn: (reason: string) => void;
};

type Default = { readonly value: JsonValue | undefined; readonly dependsOnClass: boolean };

/** The values that are not written but worked out. */
const FUNCTIONS: Record<string, (context: DefaultContext) => string | undefined> = {
  class_curie: (context) => context.ofClass.curie,
  class_uri: (context) => context.ofClass.uri,
  slot_curie: (context) => context.slot.curie,
  slot_uri: (context) => context.slot.uri,
  default_range: (context) => context.defaultRange ?? 'string',
};
const UNSUPPORTED = new Set(['bnode', 'default_ns']);

/** The canonical default of a slot, if any. One that is not a value of the slot's range is reported and ignored. */
export function defaultValue(ifabsent: string | undefined, context: DefaultContext): Default {
  if (ifabsent === undefined) return { value: undefined, dependsOnClass: false };
  const text = argumentOf(ifabsent);
  const dependsOnClass = text === 'class_curie' || text === 'class_uri';
  if (UNSUPPORTED.has(text)) {
    context.warn(`${excerpt(ifabsent)} is not supported; the slot has no default.`);
    return { value: undefined, dependsOnClass };
  }
  const written = Object.hasOwn(FUNCTIONS, text) ? FUNCTIONS[text]!(context) : text;
  const value = written === undefined ? undefined : readAs(written, context.range);
  if (value === undefined)
    context.warn(`${excerpt(ifabsent)} is not a value of the slot's range; the slot has no default.`);
  return { value: value !== undefined && context.multivalued ? [value] : value, dependsOnClass };
}

/** `int(7)` → `7`, `string("a b")` → `a b`, `some_word` → `some_word`. */
function argumentOf(ifabsent: string): string {
  const call = /^\s*\w+\(([\s\S]*)\)\s*$/.exec(ifabsent);
  const argument = call ? call[1]! : ifabsent;
  const quoted = /^\s*(["'])([\s\S]*)\1\s*$/.exec(argument);
  return quoted ? quoted[2]! : argument;
}

function readAs(text: string, range: SlotRange): JsonValue | undefined {
  switch (range.kind) {
    case 'type':
      return BUILT_IN_TYPES.get(range.type.base)!.coerce(asWritten(text, range.type.base));
    case 'enum':
      return range.enum.open || range.enum.values.has(text) ? text : undefined;
    case 'class':
      return range.inlining === 'reference' ? text : undefined;
    case 'any':
      return text;
    case 'array':
      return undefined;
    case 'union':
      return range.alternatives
        .map((alternative) => readAs(text, alternative))
        .find((value) => value !== undefined);
  }
}

/** As the Python tools take it: a decimal goes through a float, a datetime loses its fraction and its zone. */
function asWritten(text: string, base: string): JsonValue {
  if (base === 'decimal' && Number.isFinite(Number(text)) && text.trim() !== '') return Number(text);
  if (base === 'datetime') return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/.exec(text)?.[0] ?? text;
  return text;
}
