/**
 * References that lead to another record after a rename or merge. What the change alone would make twice in a list or mapping is
 * kept once, and what would lead from a record to itself is left out; what was so before stays.
 */
import { canonicalJson, copyJson, isJsonObject, type JsonObject, type JsonValue } from '#linkml/json.ts';
import { type Place, pathOf, type Reference, referencesOf } from '../../core/records/links.ts';
import type { Schema } from '../../core/schema/schema.ts';

/** A value that is left out: a JSON Pointer into the record as it was, and why. */
export type LeftOut = { readonly path: string; readonly reason: 'repeated' | 'itself' };

type RetargetResult = { readonly record: JsonObject; readonly leftOut: readonly LeftOut[] };

type Holder = Place['holder'];
type Key = Place['key'];
type Members = Record<Key, JsonValue>;

/** Puts a pid in place of every reference to an IRI. */
export function retarget(
  schema: Schema,
  className: string,
  record: JsonObject,
  { gone, to }: { readonly gone: string; readonly to: string },
): RetargetResult {
  const result = copyJson(record);
  const references = referencesOf(schema, className, result);
  const changed = references.filter(({ iri }) => iri === gone);
  const groups = collectionsAbove(changed);
  const iris = new Iris(schema, references);
  const before = groups.map((group) => iris.identities(group.holder));
  for (const reference of changed) putPid(reference, to);
  iris.replace(gone, schema.expandReference(to) ?? to);
  const leftOut: LeftOut[] = [];
  // Inner lists first: outer members may be equal without what those leave out.
  for (const at of groups.keys()) {
    const group = groups[at]!;
    const removed = keepOnce(group, before[at]!, iris);
    for (const place of removed) leftOut.push({ path: pathOf(place), reason: 'repeated' });
  }
  for (const { holder, places } of groups)
    if (!Array.isArray(holder)) for (const [key] of places) renameKey(schema, holder, key, iris, to);
  return { record: result, leftOut: leftOut.reverse() };
}

/**
 * Leaves out the references to some IRIs: those that would lead from the record to itself. An inlined object that cannot be
 * without its reference, or that has nothing else, is left out with it.
 */
export function withoutReferences(
  schema: Schema,
  className: string,
  record: JsonObject,
  iris: readonly string[],
): RetargetResult {
  const result = copyJson(record);
  const removal = new Removal(schema);
  const leftOut: LeftOut[] = [];
  for (const reference of referencesOf(schema, className, result)) {
    if (!iris.includes(reference.iri)) continue;
    const removed = removal.add(memberNamed(schema, reference) ?? reference.place);
    if (removed) leftOut.push({ path: pathOf(removed), reason: 'itself' });
  }
  removal.apply();
  return { record: result, leftOut };
}

/** A list or mapping with the members that contain a changed reference. */
type Group = { readonly holder: Holder; readonly depth: number; readonly places: Map<Key, Place> };

/** The lists and mappings around references, the innermost first. */
function collectionsAbove(references: readonly Reference[]): Group[] {
  const groups = new Map<Holder, Group>();
  for (const { place } of references) {
    for (let at: Place | undefined = place; at; at = at.within) {
      if (at.of !== undefined) continue;
      const group = groups.get(at.holder) ?? { holder: at.holder, depth: depthOf(at), places: new Map() };
      groups.set(at.holder, group);
      group.places.set(at.key, at);
    }
  }
  return [...groups.values()].sort((a, b) => b.depth - a.depth);
}

function depthOf({ within }: Place): number {
  return within ? 1 + depthOf(within) : 0;
}

/** The member of a list or mapping that a reference names: a list has it twice if two name the same. */
function memberNamed(schema: Schema, { place }: Reference): Place | undefined {
  if (place.of === undefined) return place;
  const { key, identifier } = schema.classes.get(place.of) ?? {};
  const isHandle = place.key === (identifier ?? key)?.name;
  return isHandle && place.within && place.within.of === undefined ? place.within : undefined;
}

/** The IRIs of references, by their places. */
class Iris {
  readonly #schema: Schema;
  readonly #at = new Map<Holder, Map<Key, string>>();
  /** By list or mapping, the IRIs that name its members. */
  readonly #named = new Map<Holder, Map<Key, string>>();

  constructor(schema: Schema, references: readonly Reference[]) {
    this.#schema = schema;
    for (const reference of references) {
      const { iri, place } = reference;
      setAt(this.#at, place, iri);
      const member = memberNamed(this.#schema, reference);
      if (member) setAt(this.#named, member, iri);
    }
  }

  replace(iri: string, by: string): void {
    for (const map of [this.#at, this.#named])
      for (const members of map.values())
        for (const [key, one] of members) if (one === iri) members.set(key, by);
  }

  /** Identifies the members of a list or mapping: by what they refer to, else by their values. */
  identities(holder: Holder): Map<Key, string> {
    const named = this.#named.get(holder);
    const identities = new Map<Key, string>();
    for (const key of keysOf(holder)) {
      const iri = named?.get(key);
      const isMapping = !Array.isArray(holder);
      // Members of a mapping that are not named by a reference have different keys.
      const text = iri ?? (isMapping ? String(key) : canonicalJson(this.#form(holder, key)));
      identities.set(key, `${iri === undefined ? '#' : '='}${text}`);
    }
    return identities;
  }

  /** The IRI that names a member. */
  named(holder: Holder, key: Key): string | undefined {
    return this.#named.get(holder)?.get(key);
  }

  /** Follows a list whose members have moved. @param former the key of each member that is left */
  moved(holder: Holder, former: readonly number[]): void {
    for (const map of [this.#at, this.#named]) {
      const members = map.get(holder);
      if (!members) continue;
      const moved = former.flatMap((key, at): [Key, string][] =>
        members.has(key) ? [[at, members.get(key)!]] : [],
      );
      map.set(holder, new Map(moved));
    }
  }

  /** A value with IRIs for references, in whichever spelling they are. */
  #form(holder: Holder, key: Key): JsonValue {
    const value = (holder as Members)[key]!;
    const iri = this.#at.get(holder)?.get(key);
    if (typeof value === 'string') return iri ?? value;
    if (Array.isArray(value)) return value.map((_, at) => this.#form(value, at));
    if (!isJsonObject(value)) return value;
    const members = Object.keys(value).map((name) => [name, this.#form(value, name)]);
    return { ...Object.fromEntries(members), ...(iri !== undefined && { pid: iri }) };
  }
}

function setAt(map: Map<Holder, Map<Key, string>>, { holder, key }: Place, iri: string): void {
  map.set(holder, (map.get(holder) ?? new Map<Key, string>()).set(key, iri));
}

function keysOf(holder: Holder): Key[] {
  return Array.isArray(holder) ? [...holder.keys()] : Object.keys(holder);
}

/**
 * Of members that are the same now and were not before, keeps those that did not change, at the first of their places.
 *
 * @returns the places of those that are left out
 */
function keepOnce({ holder, places }: Group, before: ReadonlyMap<Key, string>, iris: Iris): Place[] {
  const same = new Map<string, Key[]>();
  for (const [key, identity] of iris.identities(holder))
    same.set(identity, [...(same.get(identity) ?? []), key]);
  /** The member that stands at a key, and members without a place. */
  const instead = new Map<Key, Key>();
  const removed = new Set<Key>();
  for (const keys of same.values()) {
    if (new Set(keys.map((key) => before.get(key))).size < 2) continue;
    const unchanged = keys.find((key) => !places.has(key)) ?? keys[0]!;
    const stay = keys.filter((key) => before.get(key) === before.get(unchanged));
    for (const key of keys) if (before.get(key) !== before.get(unchanged)) removed.add(key);
    for (const key of keys) if (removed.has(key)) addMissing(holder, stay[0]!, key);
    if (removed.has(keys[0]!)) instead.set(keys[0]!, stay[0]!);
  }
  if (removed.size === 0) return [];
  if (Array.isArray(holder)) {
    const moved = new Set(instead.values());
    const former = [...holder.keys()].flatMap((key) => {
      const first = instead.get(key);
      if (first !== undefined) return [first as number];
      return removed.has(key) || moved.has(key) ? [] : [key];
    });
    holder.splice(0, holder.length, ...former.map((key) => holder[key]!));
    iris.moved(holder, former);
  } else {
    for (const key of removed) delete holder[key];
  }
  return [...removed].map((key) => places.get(key)!);
}

/** Adds to an object what only the one that is left out has. */
function addMissing(holder: Holder, kept: Key, removed: Key): void {
  const members = holder as Members;
  const [to, from] = [members[kept]!, members[removed]!];
  if (isJsonObject(to) && isJsonObject(from)) Object.assign(to, { ...from, ...to });
}

/** Gives a member of a mapping the key that its reference has now. */
function renameKey(schema: Schema, mapping: JsonObject, key: Key, iris: Iris, to: string): void {
  const value = mapping[key];
  if (value === undefined || iris.named(mapping, key) !== schema.expandReference(to) || key === to) return;
  delete mapping[key];
  mapping[to] = value;
}

/** Puts a pid in place of a reference: a string, or the pid of an object. Keys of mappings follow later. */
function putPid({ place: { holder, key, byKey } }: Reference, pid: string): void {
  const members = holder as Members;
  const value = members[key];
  if (byKey) return;
  if (typeof value === 'string') {
    members[key] = pid;
  } else if (isJsonObject(value)) {
    const former = value.pid;
    value.pid = pid;
    for (const tag of isJsonObject(value.annotations) ? Object.keys(value.annotations) : [])
      if ((value.annotations as JsonObject)[tag] === former) (value.annotations as JsonObject)[tag] = pid;
  }
}

/** Values that are left out of a record. */
class Removal {
  readonly #schema: Schema;
  readonly #removed = new Map<Holder, Set<Key>>();

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /** @returns the place that is left out; undefined if it was before */
  add(place: Place): Place | undefined {
    const { holder, key, of, within } = place;
    const removed = this.#removed.get(holder) ?? new Set();
    if (removed.has(key)) return undefined;
    this.#removed.set(holder, removed.add(key));
    if (!within) return place;
    const { slots, typeDesignator } = this.#schema.classes.get(of ?? '') ?? {};
    const isLeft = keysOf(holder).some((one) => !removed.has(one) && one !== typeDesignator?.name);
    const isRequired = slots?.get(String(key))?.required ?? false;
    if (isLeft && !isRequired) return place;
    const outer = this.add(within);
    // The report names the reference in a list, and the object that is left out with it.
    return of === undefined ? place : (outer ?? place);
  }

  apply(): void {
    for (const [holder, removed] of this.#removed) {
      if (!Array.isArray(holder)) for (const key of removed) delete holder[key];
      else holder.splice(0, holder.length, ...holder.filter((_, at) => !removed.has(at)));
    }
  }
}
