/**
 * Mappings from identifier or key to object, or to the value of the only other slot.
 *
 * The short forms of LinkML ("Inlining", "Compact dicts and simple dicts") are accepted: an object without its key, null, and the
 * value of one slot. They become objects, the form that the peer reads.
 */
import { isJsonObject, type JsonObject, type JsonValue, setMember } from '../json.ts';
import type { ClassDefinition, SlotDefinition } from '../model.ts';
import { uniqueKeyCheck } from './identities.ts';
import { type MembersTest, nameText } from './members.ts';
import {
  type Accepted,
  entry,
  inside,
  isFull,
  type RecordPath,
  type Run,
  reportProblem,
  reportUnexpected,
  type ValueCheck,
} from './report.ts';

/** The value of a key. */
export type Entries = {
  readonly objects: ClassDefinition;
  /** The slot that names an object. */
  readonly handle: SlotDefinition;
  readonly key: ValueCheck;
  readonly object: ValueCheck;
  /** In a simple mapping: the only other slot, whose value may stand for the object, and is kept as it is given. */
  readonly short: { readonly slot: SlotDefinition; readonly check: ValueCheck } | undefined;
};

/** Each object repeats its name, so it is complete without its key. */
export function mappingCheck(entries: Entries, members: MembersTest): ValueCheck {
  const { objects, handle, short } = entries;
  const uniqueKeys = uniqueKeyCheck(objects);
  const expected = `an object that maps each ${handle.name} to ${short ? `its ${short.slot.name}` : `a ${objects.name}`}`;
  return (given, at, run) => {
    if (!isJsonObject(given)) return reportUnexpected(run, 'dict_type', at, given, expected);
    const result: JsonObject = {};
    const values: JsonValue[] = [];
    const keys = Object.keys(given)
      .filter((key) => given[key] !== undefined)
      .sort();
    for (const key of keys) {
      const value = checkEntry(entries, key, given[key] as JsonValue, entry(at, key), run);
      if (value !== undefined) {
        setMember(result, key, value);
        values.push(value);
      } else if (isFull(run)) return undefined;
    }
    const complete = values.length === keys.length;
    if (!members(keys.length, values, at, run) || !complete) return undefined;
    if (!uniqueKeys) return result;
    return uniqueKeys(values, (index) => entry(at, keys[index]!), run) ? result : undefined;
  };
}

function checkEntry(
  entries: Entries,
  key: string,
  given: JsonValue,
  at: RecordPath,
  run: Run,
): JsonValue | undefined {
  const { handle, key: keyCheck, object, short } = entries;
  if (!key.isWellFormed())
    return reportProblem(
      run,
      'string_unicode',
      at,
      'a key has half a surrogate pair, which is not a character.',
    );
  if (short && given !== null && !isJsonObject(given))
    return keyCheck(keyValue(entries, key, at, run), at, run) === undefined
      ? undefined
      : short.check(given, at, run);
  const long = longForm(entries, keyValue(entries, key, at, run), given, run);
  const checked = object(long, at, run);
  return checked !== undefined && hasName(checked, handle.name, key, at, run) ? checked : undefined;
}

/** A key as a value of its slot. A strict check takes values in their JSON type only, and keys have no other than string. */
function keyValue({ key: keyCheck }: Entries, key: string, at: RecordPath, run: Run): JsonValue {
  if (!run.strict) return key;
  return keyCheck(key, at, { ...run, strict: false, problems: [] }) ?? key;
}

/** The object that an entry is short for. Other values are unchanged, and the check of objects refuses them. */
function longForm({ objects, handle }: Entries, key: JsonValue, given: JsonValue, run: Run): JsonValue {
  if (isJsonObject(given))
    return Object.hasOwn(given, handle.name) ? given : withKey(given, handle.name, key, run);
  if (given === null) return { [handle.name]: key };
  const slot = valueSlot(objects, handle);
  return slot ? { [handle.name]: key, [slot.name]: given } : given;
}

function withKey(given: JsonObject, slot: string, key: JsonValue, run: Run): JsonValue {
  run.longForms ??= new Map();
  const known = run.longForms.get(given) ?? new Map<string, JsonValue>();
  run.longForms.set(given, known);
  const long = known.get(slot) ?? { [slot]: key, ...given };
  known.set(slot, long);
  return long;
}

/** The slot whose value may stand for an object: the only other one, the annotated one, or the only required one. */
function valueSlot(objects: ClassDefinition, handle: SlotDefinition): SlotDefinition | undefined {
  const others = [...objects.slots.values()].filter((slot) => slot !== handle && !slot.designatesType);
  const candidates = [
    others,
    others.filter((slot) => slot.isSimpleDictValue),
    others.filter((slot) => slot.required),
  ];
  return candidates.find((slots) => slots.length === 1)?.[0];
}

function hasName(object: JsonValue, handle: string, key: string, at: RecordPath, run: Run): Accepted {
  const name = isJsonObject(object) ? nameText(object[handle]) : undefined;
  if (name === undefined || name === key) return true;
  return reportProblem(
    run,
    'key_mismatch',
    inside(at, handle),
    `found ${JSON.stringify(name)}, expected ${JSON.stringify(key)}, the key of the object.`,
    name,
  );
}
