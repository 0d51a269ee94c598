/**
 * Compares two versions of a schema, in the words of stewards: classes, slots, enums, values and
 * prefixes that were added, removed, renamed, tightened or loosened.
 */
import type {
  ClassDefinition,
  EnumDefinition,
  PermissibleValue,
  Schema,
  SharedTerms,
  SlotDefinition,
} from '../../core/schema/schema.ts';
import { SCHEMA_TYPE } from '../../core/schema-type.ts';
import { type Aspected, compareSlots } from './compare-slots.ts';
import type { Effect } from './effect.ts';
import { findRenames, type NamedElement, type Rename, type RenameEvidence } from './match-names.ts';

export type SchemaChange = Partial<Aspected> & {
  readonly element: 'class' | 'slot' | 'enum' | 'value' | 'prefix' | 'vocabulary';
  readonly kind: 'added' | 'removed' | 'renamed' | 'changed';
  readonly effect: Effect;
  /** The class of a slot, the enum of a value, by its new name. */
  readonly of?: string;
  readonly name: string;
  /** The new name of a renamed element. */
  readonly to?: string;
  readonly evidence?: RenameEvidence;
  /** One sentence for people. */
  readonly message: string;
};

export type SchemaComparison = {
  readonly changes: readonly SchemaChange[];
  /** Former class name → new name, for classes that have another name now. */
  readonly classNames: ReadonlyMap<string, string>;
  /** Former class name → former slot name → new slot name, inherited slots included. */
  readonly slotNames: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** New enum name → former value → new value. */
  readonly valueNames: ReadonlyMap<string, ReadonlyMap<string, string>>;
};

/** Compares the induced classes, the enums and the prefixes of two schemas. */
export function compareSchemas(from: Schema, to: Schema): SchemaComparison {
  const changes: SchemaChange[] = [];
  const classRenames = renamesOf(from.classes, to.classes, element, slotsInCommon);
  const classNames = namesOf(classRenames);
  reportNames(changes, 'class', from.classes, to.classes, classRenames);
  const slotNames = new Map<string, ReadonlyMap<string, string>>();
  for (const [name, former] of from.classes) {
    const now = to.classes.get(classNames.get(name) ?? name);
    if (now) slotNames.set(name, compareClass(changes, former, now, from, to));
  }
  const enumNames = namesOf(renamesOf(from.enums, to.enums, enumElement, valuesInCommon));
  const valueNames = new Map<string, ReadonlyMap<string, string>>();
  for (const [name, former] of from.enums) {
    const now = to.enums.get(enumNames.get(name) ?? name);
    if (now) valueNames.set(now.name, compareEnum(changes, former, now));
  }
  comparePrefixes(changes, from.prefixes, to.prefixes);
  compareVocabularies(changes, from.terms, to.terms);
  return { changes: withoutInherited(changes, to), classNames, slotNames, valueNames };
}

function compareClass(
  changes: SchemaChange[],
  former: ClassDefinition,
  now: ClassDefinition,
  from: Schema,
  to: Schema,
): ReadonlyMap<string, string> {
  const add = (effect: Effect, message: string, aspected: Aspected) =>
    changes.push({ element: 'class', kind: 'changed', effect, name: now.name, message, ...aspected });
  if (!former.abstract && now.abstract) {
    const message = `The class ${now.name} is abstract now: no record may be of it.`;
    add('tightened', message, { aspect: 'abstract' });
  }
  if (former.curie !== now.curie) {
    const uri = `has the URI ${now.curie} instead of ${former.curie}`;
    const message = `The class ${now.name} ${uri}; ${SCHEMA_TYPE} and Turtle change.`;
    add('neutral', message, { aspect: 'uri', before: former.curie, after: now.curie });
  }
  const renames = renamesOf(former.slots, now.slots, element, (a, b) =>
    a.range.kind === b.range.kind && a.multivalued === b.multivalued ? 1 : 0,
  );
  reportNames(changes, 'slot', former.slots, now.slots, renames, now.name);
  const names = namesOf(renames);
  for (const [name, slot] of former.slots) {
    const next = now.slots.get(names.get(name) ?? name);
    if (!next) continue;
    for (const change of compareSlots(slot, next, from, to))
      changes.push({ element: 'slot', kind: 'changed', of: now.name, name: next.name, ...change });
  }
  return names;
}

function compareEnum(
  changes: SchemaChange[],
  former: EnumDefinition,
  now: EnumDefinition,
): ReadonlyMap<string, string> {
  const renames = renamesOf(former.values, now.values, valueElement, () => 0.5);
  reportNames(changes, 'value', former.values, now.values, renames, now.name);
  return namesOf(renames);
}

function comparePrefixes(
  changes: SchemaChange[],
  from: ReadonlyMap<string, string>,
  to: ReadonlyMap<string, string>,
): void {
  const add = (kind: SchemaChange['kind'], effect: Effect, name: string, message: string, iris?: Aspected) =>
    changes.push({
      element: 'prefix',
      kind,
      effect,
      name,
      message: `The prefix ${name} ${message}.`,
      ...iris,
    });
  for (const [name, iri] of from) {
    const now = to.get(name);
    if (now === undefined)
      add('removed', 'tightened', name, 'is gone: identifiers that use it no longer resolve');
    else if (now !== iri) {
      const words = `stands for ${now} instead of ${iri}: identifiers that use it name other things`;
      add('changed', 'tightened', name, words, { aspect: 'iri', before: iri, after: now });
    }
  }
  for (const [name, iri] of to) if (!from.has(name)) add('added', 'loosened', name, `for ${iri} is new`);
}

function compareVocabularies(changes: SchemaChange[], from: SharedTerms, to: SharedTerms): void {
  const add = (kind: SchemaChange['kind'], effect: Effect, name: string, is: string) =>
    changes.push({ element: 'vocabulary', kind, effect, name, message: `The vocabulary ${name} ${is}.` });
  for (const [name, { digest }] of Object.entries(from))
    if (!Object.hasOwn(to, name)) add('removed', 'loosened', name, 'is gone: its terms are not enforced');
    else if (to[name]!.digest !== digest) add('changed', 'tightened', name, 'has other terms');
  for (const name of Object.keys(to))
    if (!Object.hasOwn(from, name)) add('added', 'tightened', name, 'is new');
}

type Elements<T> = ReadonlyMap<string, T>;

function renamesOf<T>(
  from: Elements<T>,
  to: Elements<T>,
  named: (definition: T, name: string) => NamedElement,
  likeness: (from: T, to: T) => number,
): Rename[] {
  const only = (of: Elements<T>, other: Elements<T>) =>
    [...of].filter(([name]) => !other.has(name)).map(([name, one]) => ({ ...named(one, name), one }));
  return findRenames(only(from, to), only(to, from), (a, b) => likeness(a.one, b.one));
}

function namesOf(renames: readonly Rename[]): ReadonlyMap<string, string> {
  return new Map(renames.map(({ from, to }) => [from, to]));
}

/** Adds what was added, removed and renamed among the elements of a kind. */
function reportNames<T>(
  changes: SchemaChange[],
  element: 'class' | 'slot' | 'value',
  from: Elements<T>,
  to: Elements<T>,
  renames: readonly Rename[],
  of?: string,
): void {
  const where = of === undefined ? '' : ` of ${of}`;
  const add = (change: Omit<SchemaChange, 'element' | 'of'>) =>
    changes.push({ element, ...(of !== undefined && { of }), ...change });
  for (const { from: name, to: next, evidence } of renames) {
    const message = `The ${element} ${name}${where} is called ${next} now (by ${EVIDENCE[evidence]}).`;
    add({ kind: 'renamed', effect: 'tightened', name, to: next, evidence, message });
  }
  const renamed = new Set(renames.flatMap(({ from: before, to: after }) => [`-${before}`, `+${after}`]));
  for (const name of from.keys()) {
    if (to.has(name) || renamed.has(`-${name}`)) continue;
    add({ kind: 'removed', effect: 'tightened', name, message: `The ${element} ${name}${where} is gone.` });
  }
  for (const [name, definition] of to) {
    if (from.has(name) || renamed.has(`+${name}`)) continue;
    const demanded = element === 'slot' && isDemanded(definition as SlotDefinition);
    const message = `The ${element} ${name}${where} is new${demanded ? ', and required' : ''}.`;
    add({ kind: 'added', effect: demanded ? 'tightened' : 'loosened', name, message });
  }
}

const EVIDENCE: Readonly<Record<RenameEvidence, string>> = {
  aliases: 'its aliases',
  exact_mappings: 'its exact_mappings',
  uri: 'the same URI',
  likeness: 'likeness',
};

/** Whether a record without the slot is invalid. */
function isDemanded({ required, default: initial }: SlotDefinition): boolean {
  return required && initial === undefined;
}

/** A change of a slot is reported for the topmost class that has it, not for every class below. */
function withoutInherited(changes: readonly SchemaChange[], to: Schema): SchemaChange[] {
  const key = (change: SchemaChange, of: string | undefined) =>
    JSON.stringify([change.kind, of, change.name, change.to, change.message.replaceAll(change.of ?? '', '')]);
  const known = new Set(changes.filter(({ element }) => element === 'slot').map((one) => key(one, one.of)));
  return changes.filter((change) => {
    if (change.element !== 'slot' || change.of === undefined) return true;
    const [, ...above] = to.classes.get(change.of)?.ancestors ?? [];
    return !above.some((name) => known.has(key(change, name)));
  });
}

/** A class or a slot. */
function element(
  { schemaName, uri, aliases, exactMappings }: ClassDefinition | SlotDefinition,
  name: string,
): NamedElement {
  return { name, spellings: [name, schemaName], uri, aliases, exactMappings };
}

function enumElement({ uri }: EnumDefinition, name: string): NamedElement {
  return { name, spellings: [name], uri, aliases: [], exactMappings: [] };
}

function valueElement({ meaning }: PermissibleValue, name: string): NamedElement {
  return { name, spellings: [name], uri: meaning, aliases: [], exactMappings: [] };
}

/** The share of names that two sets have in common, 0 to 1. */
function inCommon(a: Elements<unknown>, b: Elements<unknown>): number {
  const shared = [...a.keys()].filter((name) => b.has(name)).length;
  return a.size + b.size === 0 ? 0 : (2 * shared) / (a.size + b.size);
}

const slotsInCommon = (a: ClassDefinition, b: ClassDefinition) => inCommon(a.slots, b.slots);
const valuesInCommon = (a: EnumDefinition, b: EnumDefinition) => inCommon(a.values, b.values);
