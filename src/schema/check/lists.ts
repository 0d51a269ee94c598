/** Lists of values or objects. */
import { isJsonObject, type JsonValue } from '../../json.ts';
import type { ClassDefinition, SlotDefinition } from '../model.ts';
import { type MembersTest, nameText } from './members.ts';
import {
  inside,
  isFull,
  type RecordPath,
  type Run,
  reportProblem,
  shownValue,
  slotOf,
  type ValueCheck,
} from './report.ts';
import { uniqueKeyCheck } from './unique-keys.ts';

/** Room for longer lists is made at once: one that grows leaves several copies behind. */
const LONG_LIST = 10_000;

/** @param objects the class of the members, if they are inlined objects */
export function listCheck(
  slot: SlotDefinition,
  value: ValueCheck,
  members: MembersTest,
  objects: ClassDefinition | undefined,
): ValueCheck {
  const handle = objects && (objects.identifier ?? objects.key);
  const uniqueKeys = objects && uniqueKeyCheck(objects);
  return (given, at, run) => {
    if (!Array.isArray(given))
      return reportProblem(
        run,
        'list_type',
        at,
        `${slotOf(at)}: found ${shownValue(given)}, expected a list${objects ? ` of ${objects.name} objects` : ''}.`,
        given,
      );
    const canonical: JsonValue[] = given.length > LONG_LIST ? new Array(given.length) : [];
    let count = 0;
    for (let i = 0; i < given.length; i++) {
      const member = given[i] as JsonValue;
      const place = inside(at, i);
      const copy = value(member, place, run);
      if (copy !== undefined) canonical[count++] = copy;
      else if (isFull(run)) return undefined;
    }
    canonical.length = count;
    let complete = count === given.length;
    if (!members(given.length, canonical, at, run)) complete = false;
    if (slot.uniqueElements && !allDiffer(canonical, at, run)) complete = false;
    if (handle && complete && !namesDiffer(canonical, handle.name, at, run)) complete = false;
    if (uniqueKeys && complete && !uniqueKeys(canonical, (index) => inside(at, index), run)) complete = false;
    return complete ? canonical : undefined;
  };
}

function allDiffer(members: readonly JsonValue[], at: RecordPath, run: Run): boolean {
  const seen = new Set<string>();
  let differ = true;
  for (const [index, member] of members.entries()) {
    const text = JSON.stringify(member);
    if (seen.has(text)) {
      reportProblem(
        run,
        'list_elements_unique',
        inside(at, index),
        `${slotOf(at)}: found ${shownValue(member)} twice, expected every value only once.`,
        member,
      );
      differ = false;
    }
    seen.add(text);
  }
  return differ;
}

/** Objects in a list that have an identifier or key must have different ones. */
function namesDiffer(objects: readonly JsonValue[], handle: string, at: RecordPath, run: Run): boolean {
  const seen = new Set<string>();
  let differ = true;
  for (const [index, object] of objects.entries()) {
    if (!isJsonObject(object)) continue;
    const name = nameText(object[handle]);
    if (name === undefined) continue;
    if (seen.has(name)) {
      reportProblem(
        run,
        'duplicate_key',
        inside(inside(at, index), handle),
        `${slotOf(at)}: two objects have the ${handle} ${JSON.stringify(name)}, expected different ones.`,
        name,
      );
      differ = false;
    }
    seen.add(name);
  }
  return differ;
}
