/**
 * Profiles: how the classes and slots of a schema become those of another vocabulary. They follow from `class_uri`, `slot_uri`
 * and `exact_mappings`; derivations that a collection writes take precedence, for a class with those below it.
 */
import { isJsonObject, type JsonObject, type JsonValue, Numeral } from '#linkml/json.ts';
import { definedRecord, type RecordText } from '../../core/records/record.ts';
import { titleOf } from '../../core/records/title.ts';
import type { Schema, SlotDefinition } from '../../core/schema/schema.ts';
import { type Derivations, readDerivations, type SlotDerivation } from './derivations.ts';
import type { ProfileTexts, PublicationMetadata } from './publishing.ts';
import { VOCABULARIES, type Vocabulary, type VocabularyName } from './vocabularies.ts';

/** A record in the words of a vocabulary. */
type MappedRecord = {
  readonly class: string;
  /** Plain values by slot, in no order. */
  readonly values: ReadonlyMap<string, readonly JsonValue[]>;
  /** Slots of the record with values that the vocabulary has no form for, such as objects without a title. */
  readonly lost: readonly string[];
  /** Slots that the vocabulary requires and the record has no value of: if there is one, the record cannot be published so. */
  readonly missing: readonly string[];
};

/** Returns the published form of a reference; undefined leaves it out. */
export type ResolveReference = (iri: string) => string | undefined;

type Profile = { readonly derivations: Derivations; readonly plans: Map<string, Plan> };

/** How a class is expressed: its target, and each slot of the vocabulary with its derivation. */
type Plan = { readonly target: string; readonly slots: readonly (readonly [string, SlotDerivation])[] };

const profiles = new WeakMap<Schema, Map<string, Profile>>();
/** Texts that are replaced by others remain known to a schema, but not without end. */
const MOST_KNOWN = 16;

function profileOf(schema: Schema, name: VocabularyName, text: string): Profile {
  const known = profiles.get(schema) ?? new Map<string, Profile>();
  profiles.set(schema, known);
  const key = `${name} ${text}`;
  const found = known.get(key);
  if (found) return found;
  if (known.size === MOST_KNOWN) known.clear();
  const made = { derivations: readDerivations(schema, name, text), plans: new Map() };
  known.set(key, made);
  return made;
}

/** Of each text. */
const MOST_PROBLEMS = 100;

/** Lists the first problems of derivations, by vocabulary. */
export function problemsOfProfiles(schema: Schema, texts: ProfileTexts): [VocabularyName, string][] {
  return (Object.entries(texts) as [VocabularyName, string][]).flatMap(([name, text]) =>
    readDerivations(schema, name, text)
      .problems.slice(0, MOST_PROBLEMS)
      .map((problem): [VocabularyName, string] => [name, problem]),
  );
}

/** A record in the words of a vocabulary. Derivations that are wrong, such as those of slots that are gone, derive nothing. */
export function mapRecord(
  schema: Schema,
  name: VocabularyName,
  publishing: PublicationMetadata,
  { className, record }: { readonly className: string; readonly record: JsonObject },
  resolveReference?: ResolveReference,
): MappedRecord {
  const vocabulary: Vocabulary = VOCABULARIES[name];
  const { derivations, plans } = profileOf(schema, name, publishing.profiles?.[name] ?? '');
  const plan = plans.get(className) ?? planOf(schema, vocabulary, derivations, className);
  plans.set(className, plan);
  const { values, lost } = valuesBy(schema, plan, className, record, resolveReference);
  const title = titleOf(schema, className, record);
  if (!values.has(vocabulary.titleSlot) && title !== null) values.set(vocabulary.titleSlot, [title]);
  for (const [slot, key] of Object.entries(vocabulary.ofCollection)) {
    const value = publishing[key];
    if (!values.has(slot) && value !== undefined) values.set(slot, [value]);
  }
  const missing = vocabulary.required.filter((group) => !group.some((slot) => values.has(slot)));
  return { class: plan.target, values, lost, missing: missing.map((group) => group.join(' or ')) };
}

/** Lists the values of a record that a profile cannot express. */
export type ProfileFault = {
  readonly vocabulary: VocabularyName;
  readonly className: string;
  readonly pid: string;
  readonly message: string;
  /** Whether the record is left out; else its values of a slot. */
  readonly isRecord: boolean;
};

export type TriedRecord = Pick<RecordText, 'pid' | 'className' | 'json'>;

/** Every fault of a record: at most one for each vocabulary leaves it out. */
export function profileFaults(
  schema: Schema,
  names: readonly VocabularyName[],
  publishing: PublicationMetadata,
  stored: TriedRecord,
): ProfileFault[] {
  const { pid, className } = stored;
  const record = definedRecord(schema, stored);
  return names.flatMap((vocabulary) => {
    const found = mapRecord(schema, vocabulary, publishing, { className, record }, (iri) => iri);
    const of = { vocabulary, className, pid };
    const lost = found.lost.map((slot): ProfileFault => {
      return { ...of, message: `values of the slot '${slot}' are objects without a title`, isRecord: false };
    });
    if (found.missing.length === 0) return lost;
    const message = `${VOCABULARIES[vocabulary].title} requires ${found.missing.join(', and ')}`;
    return [{ ...of, message, isRecord: true }, ...lost];
  });
}

function planOf(schema: Schema, vocabulary: Vocabulary, { classes }: Derivations, className: string): Plan {
  const definition = schema.classes.get(className);
  const ancestors = definition?.ancestors ?? [];
  const written = ancestors.flatMap((name) => classes.get(name) ?? [])[0];
  const iris = ({ uri, exactMappings }: { uri: string; exactMappings: readonly string[] }) => [
    uri,
    ...exactMappings.map((one) => schema.expand(one) ?? one),
  ];
  const mapped = ancestors.flatMap((name) => {
    const ancestor = schema.classes.get(name);
    return ancestor ? iris(ancestor).flatMap((iri) => vocabulary.classOf(iri) ?? []) : [];
  });
  const slots = [...(definition?.slots.values() ?? [])].flatMap((slot): [string, SlotDerivation][] => {
    const [target] = iris(slot).flatMap((iri) => vocabulary.slotOf(iri) ?? []);
    const isOwn = slot.identifier || slot.designatesType;
    if (target === undefined || isOwn || written?.slots.has(target)) return [];
    return [[target, { from: slot.name, value: undefined, mappings: {} }]];
  });
  return {
    target: written?.target ?? mapped[0] ?? vocabulary.anyClass,
    slots: [...(written?.slots ?? []), ...slots],
  };
}

function valuesBy(
  schema: Schema,
  { slots }: Plan,
  className: string,
  record: JsonObject,
  resolveReference: ResolveReference | undefined,
) {
  const values = new Map<string, JsonValue[]>();
  const lost: string[] = [];
  const add = (term: string, value: JsonValue) => {
    const others = values.get(term);
    if (others) others.push(value);
    else values.set(term, [value]);
  };
  for (const [term, { from, value: constant, mappings }] of slots) {
    const slot = from === undefined ? undefined : schema.classes.get(className)?.slots.get(from);
    const given = from === undefined ? constant : record[from];
    if (given === undefined || given === null) continue;
    for (const one of valuesIn(slot, given)) {
      const plain = slot ? plainOf(schema, slot, one, resolveReference) : one;
      const key = String(keyOf(plain ?? null));
      const value = Object.hasOwn(mappings, key) ? mappings[key] : plain;
      if (value !== undefined) add(term, value);
      else if (!lost.includes(from!)) lost.push(from!);
    }
  }
  return { values, lost };
}

function valuesIn(slot: SlotDefinition | undefined, value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  const isMapping = slot?.range.kind === 'class' && /dict/.test(slot.range.inlining) && isJsonObject(value);
  return isMapping ? Object.values(value) : [value];
}

/** A value without parts: of an object its title, of a reference what it is published as. */
function plainOf(
  schema: Schema,
  { range }: SlotDefinition,
  value: JsonValue,
  resolveReference: ResolveReference | undefined,
): JsonValue | undefined {
  if (value === null || Array.isArray(value)) return undefined;
  if (range.kind === 'class' && typeof value === 'string')
    return resolveReference?.(schema.expandReference(value) ?? value);
  if (isJsonObject(value))
    return range.kind === 'class' && resolveReference
      ? (titleOf(schema, range.className, value) ?? undefined)
      : undefined;
  const isIri = range.kind === 'type' && range.type.isIri && typeof value === 'string';
  return isIri ? (schema.expandReference(value) ?? value) : value;
}

const keyOf = (value: JsonValue) => (value instanceof Numeral ? value.source : value);

export function textOfValue(value: JsonValue): string {
  return String(keyOf(value));
}
