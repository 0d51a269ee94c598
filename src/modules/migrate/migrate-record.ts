/**
 * Carries a record over to a new version of its schema, as far as the comparison of the two says how: renamed classes,
 * slots and values, lists and single values, lossless conversions, prefixes that are gone. Nothing is guessed beyond
 * that, and nothing is dropped.
 */
import { isJsonObject, type JsonObject, type JsonValue, pointerSegment } from '#linkml/json.ts';
import { classOfObject } from '../../core/schema/class-named.ts';
import type { Schema, SlotDefinition, SlotRange } from '../../core/schema/schema.ts';
import type { SchemaComparison } from './compare-schemas.ts';

/** One thing that was done to a record. */
export type MigrationStep = {
  /** JSON Pointer (RFC 6901) into the former record. */
  readonly path: string;
  readonly kind: StepKind;
  readonly before?: string;
  readonly after?: string;
  /** One sentence for people. */
  readonly message: string;
};

type StepKind = (typeof STEP_KINDS)[number];
export const STEP_KINDS = ['class', 'slot', 'single', 'list', 'value', 'spelling'] as const;

export type MigrationResult = {
  /** The class by its new name. */
  readonly className: string;
  readonly record: JsonObject;
  /** Empty if nothing had to be done. */
  readonly steps: readonly MigrationStep[];
};

type Versions = { readonly from: Schema; readonly to: Schema; readonly comparison: SchemaComparison };

/**
 * @param record without `schema_type`, unless that is a slot of the class
 * @returns undefined if the class is gone
 */
export function migrateRecord(
  className: string,
  record: JsonObject,
  versions: Versions,
): MigrationResult | undefined {
  const steps: MigrationStep[] = [];
  const name = versions.comparison.classNames.get(className) ?? className;
  if (!versions.to.classes.has(name)) return undefined;
  if (name !== className) steps.push(replaced('class', '', className, name, 'the class '));
  return { className: name, record: migrateObject(className, record, '', versions, steps), steps };
}

/** The step that puts one name or value in the place of another. @param what it is, for the sentence */
export function replaced(
  kind: StepKind,
  path: string,
  before: string,
  after: string,
  what = '',
): MigrationStep {
  return { path, kind, before, after, message: `${what}${before} is ${after} now` };
}

function migrateObject(
  className: string,
  object: JsonObject,
  path: string,
  versions: Versions,
  steps: MigrationStep[],
): JsonObject {
  const { from, to, comparison } = versions;
  const former = from.classes.get(className);
  const now = to.classes.get(comparison.classNames.get(className) ?? className);
  if (!former || !now) return object;
  const names = comparison.slotNames.get(className);
  const migrated: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    const name = names?.get(key) ?? key;
    const at = `${path}/${pointerSegment(key)}`;
    if (name !== key) steps.push(replaced('slot', at, key, name, 'the slot '));
    const [before, slot] = [former.slots.get(key), now.slots.get(name)];
    if (!before || !slot || value === undefined) migrated[name] = value as JsonValue;
    else if (slot.designatesType && now.designation !== undefined && before.designatesType)
      migrated[name] = designation(value, former.designation, now.designation, at, steps);
    else migrated[name] = migrateSlot(before, slot, value, at, versions, steps);
  }
  return migrated;
}

/** A designator that names the former class as the schema spells it names the new one; any other is left alone. */
function designation(
  value: JsonValue,
  former: string | undefined,
  now: string,
  path: string,
  steps: MigrationStep[],
): JsonValue {
  if (value !== former || former === now) return value;
  steps.push(replaced('value', path, String(former), now));
  return now;
}

function migrateSlot(
  before: SlotDefinition,
  now: SlotDefinition,
  value: JsonValue,
  path: string,
  versions: Versions,
  steps: MigrationStep[],
): JsonValue {
  const each = (one: JsonValue, at: string) =>
    migrateValue(before.range, now.range, one, at, versions, steps);
  if (Array.isArray(value)) {
    if (now.multivalued || value.length !== 1)
      return value.map((one, index) => each(one, `${path}/${index}`));
    steps.push({ path, kind: 'single', message: 'the list with one value is that value now' });
    return each(value[0] as JsonValue, `${path}/0`);
  }
  if (isInlinedMapping(before.range, value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        key,
        each(one as JsonValue, `${path}/${pointerSegment(key)}`),
      ]),
    );
  }
  const migrated = each(value, path);
  if (before.multivalued || !now.multivalued) return migrated;
  steps.push({ path, kind: 'list', message: 'the value is a list with one value now' });
  return [migrated];
}

function isInlinedMapping(range: SlotRange, value: JsonValue): value is JsonObject {
  return (
    range.kind === 'class' &&
    (range.inlining === 'dict' || range.inlining === 'simple-dict') &&
    isJsonObject(value)
  );
}

function migrateValue(
  before: SlotRange,
  now: SlotRange,
  value: JsonValue,
  path: string,
  versions: Versions,
  steps: MigrationStep[],
): JsonValue {
  const { from, comparison } = versions;
  if (isJsonObject(value)) {
    if (before.kind !== 'class') return value;
    return migrateObject(classOfObject(from, before.className, value), value, path, versions, steps);
  }
  if (now.kind === 'enum') {
    const renamed =
      typeof value === 'string' ? comparison.valueNames.get(now.enum.name)?.get(value) : undefined;
    if (renamed === undefined) return value;
    steps.push(replaced('value', path, String(value), renamed, 'the value '));
    return renamed;
  }
  if (typeof value === 'string' && isIdentifier(before) && isIdentifier(now)) {
    return migrateIdentifier(value, path, versions, steps);
  }
  return now.kind === 'type' ? convert(now.type.base, value, path, steps) : value;
}

function isIdentifier(range: SlotRange): boolean {
  if (range.kind === 'class') return range.inlining === 'reference';
  return range.kind === 'type' && ['uriorcurie', 'curie', 'uri'].includes(range.type.base);
}

/** Spells an IRI as the new schema needs it, if its former spelling means another IRI there. */
function migrateIdentifier(
  value: string,
  path: string,
  { from, to }: Versions,
  steps: MigrationStep[],
): string {
  const iri = from.expandReference(value);
  if (iri === undefined || to.expandReference(value) === iri) return value;
  const spelled = to.compact(iri);
  if (spelled === value) return value;
  steps.push({
    ...replaced('spelling', path, value, spelled),
    message: `${value} is written ${spelled} now`,
  });
  return spelled;
}

/** Conversions that lose nothing: from a string to the number or boolean that it spells, and back. */
function convert(base: string, value: JsonValue, path: string, steps: MigrationStep[]): JsonValue {
  const converted = CONVERSIONS[base]?.(value);
  if (converted === undefined || converted === value) return value;
  steps.push(replaced('value', path, JSON.stringify(value), JSON.stringify(converted)));
  return converted;
}

const PLAIN_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

const CONVERSIONS: Readonly<Record<string, (value: JsonValue) => JsonValue | undefined>> = {
  string: (value) => (typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined),
  integer: (value) =>
    typeof value === 'string' && /^-?(?:0|[1-9]\d{0,14})$/.test(value) ? Number(value) : undefined,
  float: toNumber,
  double: toNumber,
  boolean: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
};

function toNumber(value: JsonValue): JsonValue | undefined {
  if (typeof value !== 'string' || !PLAIN_NUMBER.test(value)) return undefined;
  const number = Number(value);
  return String(number) === value ? number : undefined;
}
