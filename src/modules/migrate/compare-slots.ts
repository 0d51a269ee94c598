/** How a slot of a class differs between two versions of a schema. */
import type { Schema, SlotDefinition, SlotRange } from '../../core/schema/schema.ts';
import type { Effect } from './effect.ts';

type SlotChange = Aspected & { readonly effect: Effect; readonly message: string };

/** What has changed of an element, and its values, for programs and for other languages than English. */
export type Aspected = {
  readonly aspect: Aspect;
  readonly before?: string;
  readonly after?: string;
};
type Aspect = (typeof ASPECTS)[number];
export const ASPECTS = [
  'abstract',
  'uri',
  'iri',
  'terms',
  'required',
  'multivalued',
  'range',
  'pattern',
  'minimum_value',
  'maximum_value',
  'minimum_cardinality',
  'maximum_cardinality',
  'equals_string',
  'equals_string_in',
  'equals_number',
  'equals_expression',
  'value_presence',
] as const;

/** Every difference that matters to a record or to its Turtle. */
export function compareSlots(
  before: SlotDefinition,
  now: SlotDefinition,
  from: Schema,
  to: Schema,
): SlotChange[] {
  const changes: SlotChange[] = [];
  const add: Add = (effect, message, aspect, from, to) =>
    changes.push({
      effect,
      message: `${now.name}: ${message}.`,
      aspect,
      ...(from !== undefined && { before: String(from) }),
      ...(to !== undefined && { after: String(to) }),
    });
  if (!before.required && now.required) {
    const filled = now.default !== undefined;
    add(
      filled ? 'neutral' : 'tightened',
      filled ? 'required now, with a default' : 'required now',
      'required',
      false,
      true,
    );
  }
  if (before.required && !now.required) add('loosened', 'no longer required', 'required', true, false);
  if (before.multivalued !== now.multivalued) {
    const takes = now.multivalued ? 'takes a list now' : 'takes a single value now';
    add('tightened', takes, 'multivalued', before.multivalued, now.multivalued);
  }
  const [formerRange, range] = [rangeName(before.range), rangeName(now.range)];
  if (formerRange !== range) {
    add(
      widens(before.range, now.range, from, to) ? 'loosened' : 'tightened',
      `its range is ${range} instead of ${formerRange}`,
      'range',
      formerRange,
      range,
    );
  }
  if (before.uri !== now.uri)
    add(
      'neutral',
      `its URI is ${now.curie} instead of ${before.curie}; Turtle changes`,
      'uri',
      before.curie,
      now.curie,
    );
  compareConstraints(before, now, add);
  return changes;
}

type Add = (effect: Effect, message: string, aspect: Aspect, before?: unknown, after?: unknown) => void;

/** Bounds: how they are called, and whether a greater one is tighter. */
const BOUNDS = [
  ['minimumValue', 'least value', true, 'minimum_value'],
  ['maximumValue', 'greatest value', false, 'maximum_value'],
  ['minimumCardinality', 'least number of values', true, 'minimum_cardinality'],
  ['maximumCardinality', 'greatest number of values', false, 'maximum_cardinality'],
] as const;

/** Constraints whose direction is not looked into: any new demand may refuse a record. */
const OTHERS = [
  ['equalsString', 'the string that it must equal', 'equals_string'],
  ['equalsStringIn', 'the strings that it may equal', 'equals_string_in'],
  ['equalsNumber', 'the number that it must equal', 'equals_number'],
  ['equalsExpression', 'the expression that computes it', 'equals_expression'],
  ['valuePresence', 'whether it may be present', 'value_presence'],
] as const;

function compareConstraints(
  { constraints: before }: SlotDefinition,
  { constraints: now }: SlotDefinition,
  add: Add,
) {
  if (before.pattern !== now.pattern) {
    const instead = before.pattern ? ` instead of ${before.pattern}` : '';
    if (now.pattern === undefined) add('loosened', 'no longer has a pattern', 'pattern', before.pattern);
    else add('tightened', `must match ${now.pattern}${instead}`, 'pattern', before.pattern, now.pattern);
  }
  for (const [key, name, isLower, aspect] of BOUNDS) {
    const [from, to] = [before[key], now[key]];
    if (from === to) continue;
    if (to === undefined) {
      add('loosened', `no longer has a ${name}`, aspect, from);
      continue;
    }
    const isTighter = from === undefined || (isLower ? Number(to) > Number(from) : Number(to) < Number(from));
    const instead = from === undefined ? '' : ` instead of ${from}`;
    add(isTighter ? 'tightened' : 'loosened', `the ${name} is ${to}${instead}`, aspect, from, to);
  }
  for (const [key, words, aspect] of OTHERS) {
    if (JSON.stringify(before[key]) === JSON.stringify(now[key])) continue;
    add(now[key] === undefined ? 'loosened' : 'tightened', `${words} changed`, aspect);
  }
}

/** A range as people write it. */
function rangeName(range: SlotRange): string {
  switch (range.kind) {
    case 'type':
      return range.type.name;
    case 'enum':
      return range.enum.name;
    case 'class':
      return range.inlining === 'reference' ? range.className : `${range.className} (inlined)`;
    case 'any':
      return 'Any';
    case 'array':
      return `array of ${rangeName(range.of)}`;
    case 'union':
      return range.alternatives.map(rangeName).join(' | ');
  }
}

/** Built-in types whose values are values of another, too. */
const WIDER: Readonly<Record<string, readonly string[]>> = {
  integer: ['float', 'double', 'decimal'],
  float: ['double'],
  uri: ['uriorcurie'],
  curie: ['uriorcurie'],
};

/** Whether every value of the former range is one of the new range. */
function widens(before: SlotRange, now: SlotRange, from: Schema, to: Schema): boolean {
  if (now.kind === 'any') return true;
  if (now.kind === 'union')
    return now.alternatives.some(
      (one) => rangeName(one) === rangeName(before) || widens(before, one, from, to),
    );
  if (before.kind === 'type' && now.kind === 'type') {
    const free = Object.keys(now.type.constraints).length === 0;
    return (
      free &&
      (before.type.base === now.type.base || (WIDER[before.type.base]?.includes(now.type.base) ?? false))
    );
  }
  if (before.kind === 'class' && now.kind === 'class') {
    return (
      before.inlining === now.inlining &&
      (to.classes.get(before.className)?.ancestors.includes(now.className) ?? false)
    );
  }
  return false;
}
