/** `unique_keys`: groups of slots whose values together differ between all objects of one container. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts';
import type { ClassDefinition, UniqueKey } from '../model.ts';
import { inside, type RecordPath, type Run, reportProblem, slotOf } from './report.ts';

export type ObjectsTest = (
  objects: readonly JsonValue[],
  place: (index: number) => RecordPath,
  run: Run,
) => boolean;

/** The unique keys of a class, its own and inherited ones. */
export function uniqueKeyCheck(objects: ClassDefinition): ObjectsTest {
  const keys = objects.uniqueKeys;
  if (keys.length === 0) return () => true;
  return (members, place, run) => keys.map((key) => differIn(key, members, place, run)).every(Boolean);
}

function differIn(
  key: UniqueKey,
  members: readonly JsonValue[],
  place: (index: number) => RecordPath,
  run: Run,
): boolean {
  const seen = new Set<string>();
  let differ = true;
  for (const [index, member] of members.entries()) {
    if (!isJsonObject(member)) continue;
    const values = valuesOf(key, member);
    if (values === undefined) continue;
    if (seen.has(values)) {
      const at = inside(place(index), key.slots[0]!);
      reportProblem(
        run,
        'unique_key',
        at,
        `${slotOf(at)}: another object has the same ${key.slots.join(', ')}, expected different ones (unique key ${key.name}).`,
      );
      differ = false;
    }
    seen.add(values);
  }
  return differ;
}

/** The values as one text; undefined if they cannot be equal to others. */
function valuesOf(key: UniqueKey, member: JsonObject): string | undefined {
  const values = key.slots.map((slot) => (Object.hasOwn(member, slot) ? member[slot] : null));
  const missing = values.some((value) => value === null);
  if (missing && (key.considerNullsInequal || values.every((value) => value === null))) return undefined;
  return JSON.stringify(values);
}
