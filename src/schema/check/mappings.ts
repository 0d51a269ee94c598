/** Mappings from identifier or key to object, or to the value of the only other slot. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import type { ClassDefinition, SlotDefinition } from '../model.ts';
import { type MembersTest, nameText } from './members.ts';
import {
  entry,
  inside,
  isFull,
  type Place,
  put,
  type Run,
  report,
  shown,
  slotOf,
  type ValueCheck,
} from './report.ts';
import { uniqueKeyCheck } from './unique-keys.ts';

/** What stands under a key. */
export type Entries = {
  readonly objects: ClassDefinition;
  /** The slot that names an object. */
  readonly handle: SlotDefinition;
  readonly key: ValueCheck;
  readonly object: ValueCheck;
  /** In a simple mapping: the only other slot, whose value may stand for the object. */
  readonly short: { readonly slot: SlotDefinition; readonly check: ValueCheck } | undefined;
};

/** Each object repeats its name, so that it can stand alone. */
export function mappingCheck(entries: Entries, members: MembersTest): ValueCheck {
  const { objects, handle, short } = entries;
  const uniqueKeys = uniqueKeyCheck(objects);
  const expected = `an object that maps each ${handle.name} to ${short ? `its ${short.slot.name}` : `a ${objects.name}`}`;
  return (given, at, run) => {
    if (!isJsonObject(given))
      return report(
        run,
        'dict_type',
        at,
        `${slotOf(at)}: found ${shown(given)}, expected ${expected}.`,
        given,
      );
    const result: JsonObject = {};
    const values: JsonValue[] = [];
    const keys = Object.keys(given).sort();
    for (const key of keys) {
      const value = checkEntry(entries, key, given[key] as JsonValue, entry(at, key), run);
      if (value !== undefined) {
        put(result, key, value);
        values.push(value);
      } else if (isFull(run)) return undefined;
    }
    const complete = values.length === keys.length;
    if (!members(keys.length, values, at, run) || !complete) return undefined;
    return uniqueKeys(values, (index) => entry(at, keys[index]!), run) ? result : undefined;
  };
}

function checkEntry(
  { handle, key: keyCheck, object, short }: Entries,
  key: string,
  given: JsonValue,
  at: Place,
  run: Run,
): JsonValue | undefined {
  if (!key.isWellFormed())
    return report(
      run,
      'string_unicode',
      at,
      `${slotOf(at)}: a key has half a surrogate pair, which is no character.`,
    );
  if (short && !isJsonObject(given)) {
    if (given === null)
      return report(
        run,
        'missing',
        at,
        `${slotOf(at)}: found null for ${shown(key)}, expected a value for its ${short.slot.name}.`,
        null,
      );
    return keyCheck(key, at, run) === undefined ? undefined : short.check(given, at, run);
  }
  const checked = object(given, at, run);
  return checked !== undefined && hasName(checked, handle.name, key, at, run) ? checked : undefined;
}

function hasName(object: JsonValue, handle: string, key: string, at: Place, run: Run): boolean {
  const name = isJsonObject(object) ? nameText(object[handle]) : undefined;
  if (name === undefined || name === key) return true;
  report(
    run,
    'key_mismatch',
    inside(at, handle),
    `${handle}: found ${JSON.stringify(name)}, expected ${JSON.stringify(key)}, the key under which the object stands.`,
    name,
  );
  return false;
}
