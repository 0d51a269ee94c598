/**
 * The differences between a curated and a submitted record, and who made them: a comparison of three claims, unit by unit.
 *
 * A unit is what a curator decides about: a value, a member of a set, a slot of an object. Two claims without a differing
 * unit are the same claim. {@link mergeRecords} (`merge.ts`) walks the same units.
 */
import { canonicalJson, type JsonValue, pointerKeys, pointerSegment } from '#linkml/json.ts';
import { type TextPart, textDifference } from '../../core/records/text-difference.ts';
import type { Claim, ClaimNode, ObjectNode, SetNode } from './claim.ts';

export type ClaimDifference = {
  /** A JSON Pointer: slot names, mapping keys, `[id]` for list items with an identity, `[#…]` for values of a set. */
  readonly path: string;
  /** The slot that the difference is in; null for the record as a whole. */
  readonly slot: string | null;
  /** The effect of the submitted record on the curated one. */
  readonly kind: 'added' | 'removed' | 'changed';
  readonly base: JsonValue;
  readonly curated: JsonValue;
  readonly submitted: JsonValue;
  /** `unknown` if it is not known what the submitter started from. */
  readonly changed_by: 'submitter' | 'curator' | 'both' | 'unknown';
  readonly conflict: boolean;
  /** For long strings: which words differ. */
  readonly words?: readonly TextPart[];
  /** Whether the values are left out, because they are too long. */
  readonly omitted?: true;
};

/** Three claims on one IRI; null stands for no record, an undefined base for one that is not known. */
export type Sides = {
  readonly base: Claim | null | undefined;
  readonly curated: Claim | null;
  readonly submitted: Claim | null;
};

/** The values of three records for one unit. Undefined sides have no value. */
export type Unit = {
  readonly path: string;
  readonly slot: string | null;
  readonly base: ClaimNode | undefined;
  readonly curated: ClaimNode | undefined;
  readonly submitted: ClaimNode | undefined;
  /** Parts that are decided on their own; undefined for a unit that is decided as a whole. */
  readonly parts: ReadonlyMap<string, Unit> | undefined;
  /** Parts that both sides replaced with different values: members of a set without identity. */
  readonly replaced: boolean;
};

/** The units of three claims, as a tree. */
export function unitsOf({ base, curated, submitted }: Sides): Unit {
  const sides = { base: base?.root, curated: curated?.root, submitted: submitted?.root };
  // A record that was deleted is decided as a whole; a new one slot by slot.
  const deleted = sides.base !== undefined && (sides.curated === undefined || sides.submitted === undefined);
  const root = unitAt('', null, sides);
  if (deleted) return { ...root, parts: undefined };
  return { ...root, parts: slotUnits('', sides.base, sides.curated, sides.submitted) };
}

/** The differences between the curated and the submitted record, in the order of their slots. */
export function claimDifferences(sides: Sides): ClaimDifference[] {
  const found: ClaimDifference[] = [];
  collect(unitsOf(sides), sides.base === undefined, found);
  return found;
}

function collect(unit: Unit, baseUnknown: boolean, found: ClaimDifference[]): void {
  if (unit.curated?.text === unit.submitted?.text) return;
  if (!unit.parts) {
    found.push(differenceOf(unit, baseUnknown));
    return;
  }
  if (unit.replaced) found.push({ ...differenceOf(unit, baseUnknown), changed_by: 'both', conflict: true });
  for (const [name, part] of unit.parts)
    if (!(unit.replaced && name.startsWith('#'))) collect(part, baseUnknown, found);
}

function differenceOf(unit: Unit, baseUnknown: boolean): ClaimDifference {
  const { path, slot, base, curated, submitted } = unit;
  return {
    path,
    slot,
    kind: curated === undefined ? 'added' : submitted === undefined ? 'removed' : 'changed',
    base: base?.json ?? null,
    curated: curated?.json ?? null,
    submitted: submitted?.json ?? null,
    changed_by: baseUnknown ? 'unknown' : changedBy(unit),
    conflict: isConflict(unit),
  };
}

/** Marks the words that differ in long strings: for people who read the difference. */
function withWords(difference: ClaimDifference): ClaimDifference {
  const words = textDifference(difference.curated, difference.submitted);
  return words ? { ...difference, words } : difference;
}

function changedBy({ base, curated, submitted }: Unit): 'submitter' | 'curator' | 'both' {
  if (base?.text === curated?.text) return 'submitter';
  return base?.text === submitted?.text ? 'curator' : 'both';
}

/** Whether only a decision can choose the side that a whole unit takes. */
export function isConflict(unit: Unit): boolean {
  const { path, base, curated, submitted } = unit;
  if (curated?.text === submitted?.text) return false;
  // The record was deleted after the base: the submission may not bring it back unseen.
  if (path === '' && base !== undefined && (curated === undefined || submitted === undefined)) return true;
  if (base?.text === curated?.text || base?.text === submitted?.text) return false;
  return true;
}

type Three<T> = Pick<Unit, 'path' | 'slot'> & {
  readonly base: T | undefined;
  readonly curated: T | undefined;
  readonly submitted: T | undefined;
};

function unitAt(
  path: string,
  slot: string | null,
  { base, curated, submitted }: Omit<Three<ClaimNode>, 'path' | 'slot'>,
): Unit {
  return { path, slot, base, curated, submitted, parts: undefined, replaced: false };
}

/** The unit of a value, with its parts if it is decided part by part. */
function unitOf(three: Three<ClaimNode>): Unit {
  const { path, slot, base, curated, submitted } = three;
  const whole = unitAt(path, slot, three);
  if (isSetOrAbsent(base) && isSetOrAbsent(curated) && isSetOrAbsent(submitted))
    return setUnit({ path, slot, base, curated, submitted }, whole);
  if (!isObject(curated) || !isObject(submitted) || !isSameObject(curated, submitted)) return whole;
  if (base !== undefined && !(isObject(base) && isSameObject(base, curated))) return whole;
  return { ...whole, parts: slotUnits(path, base, curated, submitted) };
}

function isSetOrAbsent(node: ClaimNode | undefined): node is SetNode | undefined {
  return node === undefined || node.kind === 'set';
}

function isObject(node: ClaimNode | undefined): node is ObjectNode {
  return node?.kind === 'object';
}

/** Whether two objects can be compared slot by slot: one class, and no different identities. */
function isSameObject(a: ObjectNode, b: ObjectNode): boolean {
  return a.className === b.className && a.identity === b.identity;
}

function slotUnits(
  path: string,
  base: ObjectNode | undefined,
  curated: ObjectNode | undefined,
  submitted: ObjectNode | undefined,
): Map<string, Unit> {
  const units = new Map<string, Unit>();
  for (const node of [submitted, curated, base])
    for (const name of node?.slots.keys() ?? []) {
      if (units.has(name)) continue;
      const three = {
        path: `${path}/${pointerSegment(name)}`,
        slot: name,
        base: base?.slots.get(name),
        curated: curated?.slots.get(name),
        submitted: submitted?.slots.get(name),
      };
      units.set(name, unitOf(three));
    }
  return units;
}

function setUnit({ path, slot, base, curated, submitted }: Three<SetNode>, whole: Unit): Unit {
  const parts = new Map<string, Unit>();
  for (const node of [curated, submitted, base])
    for (const [name, member] of node?.members ?? []) {
      if (parts.has(name)) continue;
      const inBase = base?.members.get(name);
      const inCurated = curated?.members.get(name);
      const { segment } = inBase ?? inCurated ?? member;
      const three = {
        path: `${path}/${pointerSegment(segment)}`,
        slot,
        base: inBase?.node,
        curated: inCurated?.node,
        submitted: submitted?.members.get(name)?.node,
      };
      parts.set(name, unitOf(three));
    }
  return { ...whole, parts, replaced: isReplaced(parts) };
}

/** Whether both sides removed a value, and each added one that the other did not. */
function isReplaced(parts: ReadonlyMap<string, Unit>): boolean {
  let [inBase, inCurated, inSubmitted] = [false, false, false];
  for (const [name, { base, curated, submitted }] of parts) {
    if (!name.startsWith('#')) continue;
    inBase ||= !!base && !curated && !submitted;
    inCurated ||= !base && !!curated && !submitted;
    inSubmitted ||= !base && !curated && !!submitted;
  }
  return inBase && inCurated && inSubmitted;
}

/** The slots of the record that differ, each once, in order. */
export function slotsThatDiffer(found: readonly ClaimDifference[]): string[] {
  const names = found.map(({ path }) => pointerKeys(path)[0] ?? '');
  return [...new Set(names.filter((name) => name !== ''))];
}

export type ListedDifferences = {
  /** A JSON array. */
  readonly differences: string;
  /** How many are not in it. */
  readonly more: number;
};

/** More differences are not listed, and the values of those beyond so many characters are left out. */
const MOST_DIFFERENCES = 1000;
const MOST_CHARACTERS = 1_000_000;

/** Lists the first differences, with the words that differ in long strings. */
export function listDifferences(found: readonly ClaimDifference[]): ListedDifferences {
  let characters = 0;
  const texts = found.slice(0, MOST_DIFFERENCES).map((difference) => {
    const text = textOf(withWords(difference));
    if (characters + text.length > MOST_CHARACTERS)
      return textOf({ ...difference, base: null, curated: null, submitted: null, omitted: true });
    characters += text.length;
    return text;
  });
  return { differences: `[${texts.join(',')}]`, more: found.length - texts.length };
}

function textOf(difference: ClaimDifference): string {
  return canonicalJson(difference as unknown as JsonValue);
}
