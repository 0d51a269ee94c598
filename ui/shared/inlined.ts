/** The slots of objects that are within records: their titles are those of their classes. */
import { useLoad } from './load.ts';
import { type Range, readClass, type Slot } from './schema.ts';

/** The slots of a class whose objects are within records; undefined until they are read. */
export type SlotsOf = (className: string) => readonly Slot[] | undefined;

/** Levels of objects whose classes are read for paths within records. */
const PATH_LEVELS = 3;

const inlinedIn = (slots: readonly Slot[]) =>
  slots.flatMap(({ range }) => (range.kind === 'class' && range.inlined ? range.class : []));

async function readInlined(collection: string, slots: readonly Slot[], levels: number) {
  const found = new Map<string, readonly Slot[]>();
  let names = inlinedIn(slots);
  for (let level = 0; level < levels && names.length > 0; level++) {
    const classes = await Promise.all([...new Set(names)].map((name) => readClass(collection, name)));
    for (const one of classes) found.set(one.class, one.slots);
    names = classes.flatMap((one) => inlinedIn(one.slots)).filter((name) => !found.has(name));
  }
  return found;
}

/**
 * Reads the classes whose objects are in some slots, and in these objects.
 *
 * @param levels 1 for the objects in the slots alone
 */
export function useSlotsOf(
  collection: string,
  slots: readonly Slot[],
  levels: number = PATH_LEVELS,
): SlotsOf {
  const { value } = useLoad(`${collection}/${inlinedIn(slots).join()}`, () =>
    readInlined(collection, slots, levels),
  );
  return (className) => value?.get(className);
}

/** The slot that each part of a path names; undefined for keys and positions. */
export function slotsAlong(
  path: readonly string[],
  slots: readonly Slot[],
  slotsOf: SlotsOf,
): (Slot | undefined)[] {
  let there: readonly Slot[] | undefined = slots;
  return path.map((part) => {
    const slot = there?.find(({ name }) => name === part);
    if (slot) there = slot.range.kind === 'class' ? slotsOf(slot.range.class) : undefined;
    return slot;
  });
}

/** The range of the values at a path: that of the last slot that it names. */
export function rangeAlong(
  path: readonly string[],
  slots: readonly Slot[],
  slotsOf: SlotsOf,
): Range | undefined {
  return slotsAlong(path, slots, slotsOf).findLast((slot) => slot !== undefined)?.range;
}

/** The range of a member of an object. Members that are not slots, as in objects by key, have that of the object. */
export function rangeOfMember(range: Range | undefined, name: string, slotsOf: SlotsOf): Range | undefined {
  if (range?.kind !== 'class') return undefined;
  return slotsOf(range.class)?.find((slot) => slot.name === name)?.range ?? range;
}
