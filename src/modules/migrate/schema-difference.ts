/** Lists the differences between two schemas, and those that break records: for people who change a schema without a service. */
import type { ClassDefinition, Schema, SlotDefinition, TypeDefinition } from '../../core/schema/schema.ts';
import { compareSchemas, type SchemaChange } from './compare-schemas.ts';
import type { Effect } from './effect.ts';

/** The changes in the order in which they matter: those that may refuse records first. */
export function schemaDifference(from: Schema, to: Schema): SchemaChange[] {
  const { changes, classNames } = compareSchemas(from, to);
  const all = [...changes, ...conditionChanges(from, to, classNames)];
  return all.sort((a, b) => ORDER.indexOf(a.effect) - ORDER.indexOf(b.effect));
}

const ORDER: readonly Effect[] = ['tightened', 'loosened', 'neutral'];

/** The headings under which people read the changes. */
export const EFFECTS: Readonly<Record<Effect, string>> = {
  tightened: 'breaks',
  loosened: 'compatible',
  neutral: 'neutral',
};

/** Members with conditions whose direction is not looked into: any new one may refuse a record. */
const OF_CLASSES: readonly (readonly [keyof ClassDefinition, string])[] = [
  ['rules', 'rules'],
  ['expression', 'conditions on its slots'],
  ['uniqueKeys', 'unique keys'],
  ['extraSlots', 'slots that it allows beside its own'],
];
const OF_TYPES: readonly (readonly [keyof TypeDefinition, string])[] = [
  ['base', 'base type'],
  ['constraints', 'constraints'],
  ['unionOf', 'types that it is a union of'],
];
const OF_CONSTRAINTS: readonly (keyof SlotDefinition['constraints'])[] = [
  ...(['hasMember', 'allMembers', 'anyOf', 'allOf', 'exactlyOneOf', 'noneOf', 'rangeExpression'] as const),
];

/** Compares the conditions, which the comparison of names, ranges and bounds does not look at. */
function conditionChanges(from: Schema, to: Schema, classNames: ReadonlyMap<string, string>): SchemaChange[] {
  const changes: SchemaChange[] = [];
  const add = (element: 'class' | 'slot', name: string, what: string, of?: string) => {
    const message = `The ${what} of ${of === undefined ? name : `${of}.${name}`} changed.`;
    changes.push({ element, kind: 'changed', effect: 'tightened', name, ...(of && { of }), message });
  };
  for (const [name, type] of from.types) {
    const now = to.types.get(name);
    for (const [member, what] of now ? OF_TYPES : [])
      if (differ(type[member], now![member])) add('slot', name, `${what} of the type`);
  }
  for (const [name, former] of from.classes) {
    const now = to.classes.get(classNames.get(name) ?? name);
    if (!now) continue;
    for (const [member, what] of OF_CLASSES)
      if (differ(former[member], now[member])) add('class', now.name, what);
    for (const slot of now.slots.values()) {
      const before = former.slots.get(slot.name);
      if (!before) continue;
      // A class above reports a change that is inherited.
      const inherited = now.ancestors.slice(1).some((above) => from.classes.get(above)?.slots.has(slot.name));
      if (inherited) continue;
      if (OF_CONSTRAINTS.some((one) => differ(before.constraints[one], slot.constraints[one])))
        add('slot', slot.name, 'conditions', now.name);
      if (inliningOf(before) !== inliningOf(slot))
        add('slot', slot.name, 'form of inlined objects', now.name);
    }
  }
  return changes;
}

function inliningOf({ range }: SlotDefinition): string | undefined {
  return range.kind === 'class' ? range.inlining : undefined;
}

/** Conditions as text; maps have their entries. */
function differ(a: unknown, b: unknown): boolean {
  const text = (value: unknown) =>
    JSON.stringify(value, (_, inner) => (inner instanceof Map ? [...inner] : inner)) ?? '';
  return text(a) !== text(b);
}
