/**
 * Induced slots: what a slot is in one class.
 *
 * From far to near: the slots that a slot inherits from, the slot itself (or the attribute of the nearest class that has
 * one), then the `slot_usage` of every class above, then the class's own. Nearer statements replace farther ones, with
 * three exceptions: bounds only get tighter, `required` once said stays said, and empty lists say nothing.
 */
import { LinkmlError } from '../errors.ts';
import type { Faults } from '../faults.ts';
import { type Definition, flagOf, isMapping, namedOf, textsOf, yamlText } from '../load/definitions.ts';
import type { LoadedSchema, SchemaFile } from '../load/loaded.ts';
import type { YamlValue } from '../load/yaml.ts';
import { compareNumbers } from '../types/numbers.ts';
import { buildHierarchy, type Hierarchy } from './hierarchy.ts';
import { looseName } from './names.ts';

/** A slot as refined in one class, with the names of the schema. Classes with identical refinements share one. */
export type InducedSlot = {
  readonly schemaName: string;
  readonly source: Definition;
  /** The file that defines the slot: its default prefix makes the slot's IRI. */
  readonly file: SchemaFile;
};

export type Induction = {
  readonly classes: Hierarchy;
  readonly slots: Hierarchy;
  /** The induced slots of a class, in the order in which the classes above it, nearest first, list them. */
  slotsOf(className: string): readonly InducedSlot[];
};

/** The elements that a slot passes on to the slots that inherit from it (`inherited: true` in the metamodel). */
const INHERITED = new Set(
  `domain inherited readonly ifabsent list_elements_unique list_elements_ordered shared key identifier designates_type
   role relational_role range required recommended multivalued inlined inlined_as_list minimum_value maximum_value
   pattern structured_pattern value_presence equals_string equals_string_in equals_number equals_expression
   exact_cardinality minimum_cardinality maximum_cardinality array`.split(/\s+/),
);

type Usages = ReadonlyMap<string, Definition>;

/** Slots of all classes together, inherited ones included; large schemas have some hundred thousand. */
const MOST_CLASS_SLOTS = 1_000_000;

/**
 * @param yieldIfDue called between steps
 * @throws LinkmlError `schema_invalid` for a cycle, or an undefined name
 */
export async function induce(
  loaded: LoadedSchema,
  faults: Faults,
  yieldIfDue: () => Promise<void>,
): Promise<Induction> {
  const classes = await buildHierarchy('class', loaded.classes, faults, yieldIfDue);
  await yieldIfDue();
  const slots = await buildHierarchy('slot', loaded.slots, faults, yieldIfDue);
  const attributes = new Map<string, Usages>();
  const usages = new Map<string, Usages>();
  const listed = new Map<string, readonly string[]>();
  for (const [name, element] of loaded.classes) {
    attributes.set(name, namedOf(element.source.attributes));
    usages.set(
      name,
      new Map([...namedOf(element.source.slot_usage)].map(([slot, usage]) => [looseName(slot), usage])),
    );
    listed.set(name, textsOf(element.source.slots));
    await yieldIfDue();
  }
  const bases = new Map<string, Definition>();
  const known = new Map<string, Map<string, InducedSlot>>();
  let total = 0;

  function slotsOf(className: string): InducedSlot[] {
    const ancestors = classes.ancestors(className);
    /** Slot → the nearest class that has an attribute of the name, if any. */
    const owners = new Map<string, string | undefined>();
    for (const ancestor of ancestors) {
      for (const name of listed.get(ancestor)!) if (!owners.has(name)) owners.set(name, undefined);
      for (const name of attributes.get(ancestor)!.keys())
        if (owners.get(name) === undefined) owners.set(name, ancestor);
    }
    total += owners.size;
    if (total > MOST_CLASS_SLOTS)
      throw new LinkmlError('schema_invalid', 'The classes of the schema have too many slots together.');
    const usageOwners = ancestors.filter((ancestor) => usages.get(ancestor)!.size > 0).reverse();
    return [...owners].flatMap(([name, owner]) => inducedSlot(name, className, owner, usageOwners) ?? []);
  }

  function inducedSlot(
    name: string,
    className: string,
    owner: string | undefined,
    usageOwners: readonly string[],
  ): InducedSlot | undefined {
    const said =
      usageOwners.length === 0
        ? usageOwners
        : usageOwners.filter((ancestor) => usages.get(ancestor)!.has(looseName(name)));
    // Classes with identical refinements share one induced slot.
    const refinements = said.length === 0 ? (owner ?? '') : JSON.stringify([owner, ...said]);
    const shared = known.get(refinements) ?? new Map<string, InducedSlot>();
    const before = shared.get(name);
    if (before) return before;
    known.set(refinements, shared);
    const element = loaded.slots.get(name);
    if (owner === undefined && !element) {
      faults.add(unknownSlot(name, className, loaded, faults));
      return undefined;
    }
    const file = owner === undefined ? element!.file : loaded.classes.get(owner)!.file;
    const base =
      owner === undefined ? slotBase(name) : resolved(attributes.get(owner)!.get(name)!, file, loaded);
    const source: Definition = Object.assign(Object.create(null), base);
    for (const ancestor of said)
      overlay(
        source,
        resolved(usages.get(ancestor)!.get(looseName(name))!, loaded.classes.get(ancestor)!.file, loaded),
      );
    const slot = { schemaName: name, source, file };
    shared.set(name, slot);
    return slot;
  }

  /** A slot with what it inherits from other slots. */
  function slotBase(name: string): Definition {
    const before = bases.get(name);
    if (before) return before;
    const own = loaded.slots.get(name)!;
    const source: Definition = Object.assign(Object.create(null), resolved(own.source, own.file, loaded));
    for (const ancestor of slots.ancestors(name).toReversed()) {
      const element = loaded.slots.get(ancestor)!;
      for (const [key, value] of Object.entries(resolved(element.source, element.file, loaded)))
        if (INHERITED.has(key) && saysSomething(value)) source[key] = value;
    }
    bases.set(name, source);
    return source;
  }

  return { classes, slots, slotsOf };
}

/** Whether a value overrides an inherited one: a missing value, `false`, zero and an empty string do not. */
function saysSomething(value: YamlValue | undefined): boolean {
  return !(isEmptyValue(value) || value === false || value === 0 || value === '');
}

function isEmptyValue(value: YamlValue | undefined): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isMapping(value) && Object.keys(value).length === 0;
}

function overlay(source: Definition, usage: Definition): void {
  for (const [key, value] of Object.entries(usage)) {
    if (isEmptyValue(value)) continue;
    const before = source[key];
    if (key === 'required' && flagOf(before) === true) continue;
    if (key === 'minimum_value' || key === 'maximum_value') source[key] = tighter(key, before, value);
    else source[key] = value;
  }
}

function tighter(key: string, before: YamlValue | undefined, value: YamlValue): YamlValue {
  if (before === undefined || before === null || isMapping(before) || isMapping(value)) return value;
  const order = compareNumbers(before as never, value as never) ?? 0;
  return key === 'minimum_value' ? (order > 0 ? before : value) : order < 0 ? before : value;
}

/**
 * `structured_pattern` as a `pattern`: settings are put in for `{name}`, and the whole is anchored at both ends unless
 * a partial match will do.
 */
export function resolved(source: Definition, file: SchemaFile, loaded: LoadedSchema): Definition {
  const structured = source.structured_pattern;
  const syntax = isMapping(structured) ? yamlText(structured.syntax) : yamlText(structured);
  if (syntax === undefined) return source;
  const options: Definition = isMapping(structured) ? structured : Object.create(null);
  const settings = settingsOf(file, loaded);
  const pattern = flagOf(options.interpolated) ? interpolate(syntax, settings) : literally(syntax, settings);
  const copy: Definition = Object.assign(Object.create(null), source);
  copy.pattern = flagOf(options.partial_match) ? pattern : `^(?:${pattern})$`;
  return copy;
}

function settingsOf(file: SchemaFile, loaded: LoadedSchema): Map<string, string> {
  const settings = new Map<string, string>();
  for (const from of [...loaded.files, file])
    for (const [key, setting] of namedOf(from.source.settings, 'setting_value', 'setting_key')) {
      const value = yamlText(setting.setting_value);
      if (value !== undefined) settings.set(key, value);
    }
  return settings;
}

const SETTING = /\{([a-z0-9_-]+(?:[.\-_ ][a-z0-9]+)*)\}/gi;

function interpolate(syntax: string, settings: ReadonlyMap<string, string>): string {
  return syntax.replace(SETTING, (whole, name: string, at: number) => {
    if (syntax[at - 1] === '{' && syntax[at + whole.length] === '}') return name;
    return settings.get(name) ?? whole;
  });
}

function literally(syntax: string, settings: ReadonlyMap<string, string>): string {
  return syntax.replace(SETTING, (whole, name: string) =>
    settings.has(name) ? whole.replace(/[{}.\- ]/g, '\\$&') : whole,
  );
}

function unknownSlot(
  name: string,
  className: string,
  loaded: LoadedSchema,
  { suggestions }: Faults,
): LinkmlError {
  const hint = suggestions.didYouMean(name, () => loaded.slots.keys());
  const place = loaded.classes.get(className)!.file.place;
  return new LinkmlError(
    'schema_invalid',
    `The class ${className} (${place}) has the slot ${name}, which is not defined.${hint}`,
  );
}
