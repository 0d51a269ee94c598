/**
 * The claim of a record: its statements, independent of spelling. Two records with the same claim need no second decision.
 *
 * {@link claimOf} reads a record into a tree of nodes. The text of a node is its normal form: equal texts, the same
 * claim. Differences and merges walk the same trees, so that equal digests and "no differences" are one thing.
 */
import { hash } from 'node:crypto';
import {
  canonicalJson,
  compareCodePoints,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '#linkml/json.ts';
import type { SubmissionTags } from '../../core/records/annotate.ts';
import { isPlaceholderOf } from '../../core/records/inlined.ts';
import type { CheckedRecord } from '../../core/records/record.ts';
import { classNamed } from '../../core/schema/class-named.ts';
import type { ClassDefinition, Schema, SlotDefinition, SlotRange } from '../../core/schema/schema.ts';
import { SCHEMA_TYPE } from '../../core/schema-type.ts';
import { claimIri, valueForm } from './claim-values.ts';
import { withoutSubmissionTags } from './submission-tags.ts';

/** A value that is compared as a whole. */
type LeafNode = { readonly kind: 'leaf'; readonly text: string; readonly json: JsonValue };

/** An inlined object, or the record: its slots are compared one by one. Slots without a value are left out. */
export type ObjectNode = {
  readonly kind: 'object';
  readonly text: string;
  readonly json: JsonObject;
  readonly className: string;
  /** The normal form of its identifier or key, or of the values of a complete unique key. */
  readonly identity: string | undefined;
  readonly slots: ReadonlyMap<string, ClaimNode>;
};

/** The values of a multivalued slot without an order. */
export type SetNode = {
  readonly kind: 'set';
  readonly text: string;
  readonly json: JsonValue;
  /** Members by identity (`=…`) or, without one, by their text (`#…`); in stored order. */
  readonly members: ReadonlyMap<string, Member>;
};

export type Member = {
  readonly node: LeafNode | ObjectNode;
  /** The segment of the member in a path. */
  readonly segment: string;
  /** The key under which a mapping stores it. */
  readonly key: string | undefined;
};

export type ClaimNode = LeafNode | ObjectNode | SetNode;

export type Claim = { readonly root: ObjectNode; readonly digest: string };

/** Reads a record into a claim. The submission tags of the collection are not part of it. */
export function claimOf(schema: Schema, { className, record }: CheckedRecord, tags?: SubmissionTags): Claim {
  const own = tags ? withoutSubmissionTags(schema, record, tags) : record;
  const root = objectNode(schema, schema.classes.get(className), className, own, true);
  return { root, digest: digestOfText(root.text) };
}

/** The digest of a normal form: `sha256:` and 64 hexadecimal digits. */
function digestOfText(text: string): string {
  return `sha256:${hash('sha256', text, 'hex')}`;
}

/** The first 12 hexadecimal digits of the digest of a member: its name in paths. */
function shortDigest(text: string): string {
  return hash('sha256', text, 'hex').slice(0, 12);
}

/** Whether a value says nothing: null, an empty list, an empty object. */
function isAbsent(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}

function leaf(text: string, json: JsonValue): LeafNode {
  return { kind: 'leaf', text, json };
}

function objectNode(
  schema: Schema,
  definition: ClassDefinition | undefined,
  className: string,
  json: JsonObject,
  isRecord = false,
): ObjectNode {
  const slots = new Map<string, ClaimNode>();
  for (const name of Object.keys(json).sort(compareCodePoints)) {
    const slot = definition?.slots.get(name);
    if (slot?.designatesType || (isRecord && name === SCHEMA_TYPE)) continue;
    const node = slotNode(schema, slot, json[name] as JsonValue, isRecord);
    if (node) slots.set(name, node);
  }
  const designator = definition?.typeDesignator?.name;
  const typeJson = (designator === undefined ? undefined : json[designator]) ?? schema.schemaType(className);
  if (designator !== undefined) slots.set(designator, leaf(JSON.stringify(className), typeJson));
  if (isRecord) slots.set(SCHEMA_TYPE, leaf(JSON.stringify(className), typeJson));
  const members = [...slots].sort(([a], [b]) => compareCodePoints(a, b));
  const text = `{${members.map(([name, node]) => `${JSON.stringify(name)}:${node.text}`).join(',')}}`;
  return { kind: 'object', text, json, className, identity: identityOf(definition, slots), slots };
}

/** Returns the handle that distinguishes an object from others of its kind. */
function identityOf(
  definition: ClassDefinition | undefined,
  slots: ReadonlyMap<string, ClaimNode>,
): string | undefined {
  if (!definition) return undefined;
  const handle = definition.identifier ?? definition.key;
  if (handle) return slots.get(handle.name)?.text;
  const complete = definition.uniqueKeys.find(({ slots: names }) => names.every((name) => slots.has(name)));
  return complete && `[${complete.slots.map((name) => slots.get(name)!.text).join(',')}]`;
}

/** The node of a slot's value; undefined if it says nothing. */
function slotNode(
  schema: Schema,
  slot: SlotDefinition | undefined,
  value: JsonValue,
  ofRecord = false,
): ClaimNode | undefined {
  if (isAbsent(value)) return undefined;
  if (!slot || slot.range.kind === 'any') return leaf(canonicalJson(value), value);
  const { range, multivalued } = slot;
  if (slot.identifier && typeof value === 'string')
    return leaf(JSON.stringify(claimIri(schema, value)), value);
  if (range.kind === 'array') return leaf(arrayText(schema, range.of, value), value);
  if (multivalued && slot.orderedElements && Array.isArray(value)) {
    const texts = value.map((one) => memberNode(schema, range, one).text);
    return leaf(`[${texts.join(',')}]`, value);
  }
  if (multivalued && (Array.isArray(value) || (isJsonObject(value) && inlinedClass(range))))
    return setNode(schema, slot, value, ofRecord);
  const node = multivalued ? leaf(canonicalJson(value), value) : memberNode(schema, range, value);
  return node.text === '{}' ? undefined : node;
}

function arrayText(schema: Schema, of: SlotRange, value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map((one) => arrayText(schema, of, one)).join(',')}]`;
  return memberNode(schema, of, value).text;
}

type ClassRange = Extract<SlotRange, { kind: 'class' }>;

/** The class of inlined objects; undefined if there are none, or several classes without one above the others. */
function inlinedClass(range: SlotRange): ClassRange | undefined {
  if (range.kind === 'class') return range.inlining === 'reference' ? undefined : range;
  if (range.kind !== 'union') return undefined;
  const found = range.alternatives.map(inlinedClass).filter((one) => one !== undefined);
  return found.length === 1 ? found[0] : undefined;
}

/** One value: an inlined object of a class that is known, or a whole value. */
function memberNode(schema: Schema, range: SlotRange, value: JsonValue): LeafNode | ObjectNode {
  if (isJsonObject(value)) {
    const className = objectClass(schema, range, value);
    if (className === undefined) return leaf(canonicalJson(value), value);
    return objectNode(schema, schema.classes.get(className), className, value);
  }
  if (Array.isArray(value)) return leaf(canonicalJson(value), value);
  return leaf(canonicalJson(valueForm(schema, range, value)), value);
}

/** The class that an object names, else the only one that it can have. */
function objectClass(schema: Schema, range: SlotRange, value: JsonObject): string | undefined {
  const alternatives = range.kind === 'union' ? range.alternatives : [range];
  for (const one of alternatives) {
    if (one.kind !== 'class') continue;
    const named = classNamed(schema, one.className, value);
    if (named !== undefined) return named;
  }
  return inlinedClass(range)?.className;
}

/** Sets with more members are compared as a whole: a list of 10 MB has a million, of a kilobyte each where they are compared. */
const MOST_MEMBERS = 20_000;

function setNode(
  schema: Schema,
  slot: SlotDefinition,
  value: JsonValue,
  ofRecord: boolean,
): SetNode | LeafNode {
  const large = largeSetText(schema, slot, value, ofRecord);
  if (large !== undefined) return leaf(large, value);
  // Members of plain values are made when they are compared: mostly, their text is all that is needed.
  if (Array.isArray(value) && !inlinedClass(slot.range)) {
    const byText = new Map<string, JsonValue>();
    for (const one of value) if (one !== null) byText.set(memberNode(schema, slot.range, one).text, one);
    const text = byText.size === 0 ? '{}' : listText([...byText.keys()]);
    let members: SetNode['members'] | undefined;
    return {
      kind: 'set',
      text,
      json: value,
      get members() {
        members ??= membersOf([...byText.values()].map((one) => listMember(schema, slot, one)));
        return members;
      },
    };
  }
  const found = Array.isArray(value)
    ? value.filter((one) => one !== null).map((one) => listMember(schema, slot, one))
    : Object.entries(value as JsonObject).map(([key, one]) =>
        mappingMember(schema, slot, key, one, ofRecord),
      );
  const distinct = [...new Map(found.map((one) => [`${one.name}\0${one.node.text}`, one])).values()];
  const text = setText(distinct);
  if (distinct.length > MOST_MEMBERS) return leaf(text, value);
  return { kind: 'set', text, json: value, members: membersOf(distinct) };
}

/**
 * The {@link setText} of a set with too many members to compare, of which nothing but texts is kept: a member takes a kilobyte.
 * Undefined if there may be fewer.
 */
function largeSetText(
  schema: Schema,
  slot: SlotDefinition,
  value: JsonValue,
  ofRecord: boolean,
): string | undefined {
  const range = inlinedClass(slot.range);
  const handle = range && range.inlining !== 'object' ? handleOf(schema, range)?.name : undefined;
  const member = (key: JsonValue | undefined, one: JsonValue): Pick<NamedMember, 'keyForm' | 'node'> =>
    typeof key === 'string'
      ? mappingMember(schema, slot, key, one, ofRecord && !Array.isArray(value))
      : { node: memberNode(schema, slot.range, one) };
  const keys = Array.isArray(value) ? value : Object.keys(value as JsonObject);
  if (keys.length <= MOST_MEMBERS) return undefined;
  function* members() {
    if (!Array.isArray(value))
      for (const key of keys as string[]) yield member(key, (value as JsonObject)[key]!);
    else
      for (const one of value)
        if (one !== null) yield member(isJsonObject(one) && handle ? one[handle] : undefined, one);
  }
  const byKey = new Map<string, string>();
  let isMapping = true;
  for (const { keyForm, node } of members()) {
    isMapping = keyForm !== undefined && (byKey.get(keyForm) ?? node.text) === node.text;
    if (!isMapping) break;
    byKey.set(keyForm!, node.text);
  }
  if (isMapping) return byKey.size > MOST_MEMBERS ? mappingText(byKey) : undefined;
  byKey.clear();
  const texts: string[] = [];
  for (const one of members()) texts.push(listedText(one));
  const distinct = texts.sort(compareCodePoints).filter((text, at) => text !== texts[at - 1]);
  return distinct.length > MOST_MEMBERS ? `[${distinct.join(',')}]` : undefined;
}

function membersOf(found: readonly NamedMember[]): SetNode['members'] {
  const times = new Map<string, number>();
  for (const { name } of found) times.set(name, (times.get(name) ?? 0) + 1);
  const members = new Map<string, Member>();
  for (const one of found) {
    // Two objects with one identity have none: no schema allows it, but a store may hold it.
    const alone = one.name.startsWith('#') || times.get(one.name) === 1;
    const name = alone ? one.name : `#${one.name}${one.node.text}`;
    const segment = alone ? one.segment : `[#${shortDigest(one.node.text)}]`;
    members.set(name, { node: one.node, segment, key: one.key });
  }
  return members;
}

/** `keyForm` is the normal form of the key, for members of a mapping. */
type NamedMember = Member & { readonly name: string; readonly keyForm?: string };

/** A mapping if each member has a key that no other has, else a sorted list. */
function setText(members: readonly NamedMember[]): string {
  const byKey = new Map(members.map((one) => [one.keyForm, one.node.text]));
  if (byKey.size === members.length && !byKey.has(undefined))
    return mappingText(byKey as ReadonlyMap<string, string>);
  return listText(members.map(listedText));
}

function mappingText(byKey: ReadonlyMap<string, string>): string {
  const keys = [...byKey.keys()].sort(compareCodePoints);
  return `{${keys.map((key) => `${JSON.stringify(key)}:${byKey.get(key)}`).join(',')}}`;
}

function listedText({ keyForm, node }: Pick<NamedMember, 'keyForm' | 'node'>): string {
  return keyForm === undefined ? node.text : `{${JSON.stringify(keyForm)}:${node.text}}`;
}

const listText = (texts: string[]) => `[${texts.sort(compareCodePoints).join(',')}]`;

/** In the list form of a mapping, members are named as in the mapping. */
function listMember(schema: Schema, slot: SlotDefinition, value: JsonValue): NamedMember {
  const range = inlinedClass(slot.range);
  const handle = range && handleOf(schema, range);
  if (range && handle && range.inlining !== 'object' && isJsonObject(value)) {
    const key = value[handle.name];
    if (typeof key === 'string') return { ...mappingMember(schema, slot, key, value, false), key };
  }
  const node = memberNode(schema, slot.range, value);
  const identity = node.kind === 'object' ? node.identity : undefined;
  if (identity === undefined)
    return { node, name: `#${node.text}`, segment: `[#${shortDigest(node.text)}]`, key: undefined };
  return { node, name: `=${identity}`, segment: `[${identitySegment(schema, identity)}]`, key: undefined };
}

function mappingMember(
  schema: Schema,
  slot: SlotDefinition,
  key: string,
  value: JsonValue,
  ofRecord: boolean,
): NamedMember {
  const range = inlinedClass(slot.range)!;
  const handle = handleOf(schema, range);
  const keyForm = handle ? valueForm(schema, handleRange(range, handle), key) : key;
  const form = String(keyForm);
  const named = { name: `=${form}`, segment: segmentOf(schema, form, key), key, keyForm: form };
  if (ofRecord && slot.name === 'relations' && isPlaceholderOf(schema, key, value))
    return { ...named, node: leaf(JSON.stringify(form), value) };
  const short = handle && shortForm(schema, slot, range, handle, value);
  if (short !== undefined) return { ...named, node: leaf(short, value) };
  if (!isJsonObject(value)) return { ...named, node: leaf(canonicalJson(value), value) };
  const whole = handle && !Object.hasOwn(value, handle.name) ? { ...value, [handle.name]: key } : value;
  const node = memberNode(schema, slot.range, whole);
  return { ...named, node: node.kind === 'object' ? { ...node, json: value } : leaf(node.text, value) };
}

function handleOf(schema: Schema, { className }: ClassRange): SlotDefinition | undefined {
  const definition = schema.classes.get(className);
  return definition?.identifier ?? definition?.key;
}

/** Returns the range of a handle: an identifier is an IRI whatever its type. */
function handleRange(range: ClassRange, handle: SlotDefinition): SlotRange {
  return handle.identifier ? { ...range, inlining: 'reference' } : handle.range;
}

/** `key: value`, if an object contains nothing else: of a class with one more slot, and of annotations. */
function shortForm(
  schema: Schema,
  slot: SlotDefinition,
  range: ClassRange,
  handle: SlotDefinition,
  value: JsonValue,
): string | undefined {
  const definition = schema.classes.get(range.className);
  const others = [...(definition?.slots.values() ?? [])].filter((one) => one !== handle);
  const only = range.inlining === 'simple-dict' ? others[0] : undefined;
  const held = only ?? (slot.name === 'annotations' ? definition?.slots.get('annotation_value') : undefined);
  if (!held) return undefined;
  if (!isJsonObject(value)) return slotNode(schema, held, value)?.text ?? 'null';
  const known = new Set([handle.name, held.name, definition?.typeDesignator?.name]);
  if (Object.entries(value).some(([name, one]) => !known.has(name) && !isAbsent(one))) return undefined;
  const named = classNamed(schema, range.className, value);
  if (named !== undefined && named !== range.className) return undefined;
  return slotNode(schema, held, value[held.name] ?? null)?.text ?? 'null';
}

/** An identity as curators read it: CURIEs for IRIs, several keys joined by `|`. */
function identitySegment(schema: Schema, identity: string): string {
  const keys = JSON.parse(identity) as JsonValue;
  const texts = (Array.isArray(keys) ? keys : [keys]).map((key) =>
    typeof key === 'string' ? segmentOf(schema, key, key) : canonicalJson(key),
  );
  return texts.length === 1 ? texts[0]! : texts.map((text) => text.replace(/[\\|]/g, '\\$&')).join('|');
}

/** The CURIE of an IRI; what is not an IRI is itself. */
function segmentOf(schema: Schema, form: string, key: string): string {
  if (form === key && schema.expand(key) === undefined) return key;
  return schema.compact(form);
}
