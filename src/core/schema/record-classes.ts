/** The classes whose objects can be records, and what keeps them from being stored: a record is found by its `pid`. */

import type { ClassDefinition, SlotRange } from '#linkml/model.ts';
import { ServiceError } from '../errors.ts';

/** The class whose objects, and those of the classes below it, are records. */
const RECORD_ROOT = 'Thing';
/** The slot that identifies records (specification 2.1). */
export const PID = 'pid';

type Classes = ReadonlyMap<string, ClassDefinition>;

/** `Thing` and all below it; in a schema without it, the classes that have an identifier and are not only parts of objects. */
export function recordClassesOf(classes: Classes): string[] {
  if (classes.has(RECORD_ROOT))
    return [...classes.keys()].filter((name) => classes.get(name)!.ancestors.includes(RECORD_ROOT));
  const parts = partsOf(classes);
  return [...classes.values()]
    .filter(({ identifier, mixin, name }) => identifier && !mixin && (isPid(identifier) || !parts.has(name)))
    .map(({ name }) => name);
}

/** The classes whose objects are inlined by some slot and referred to by none. */
function partsOf(classes: Classes): ReadonlySet<string> {
  const inlined = new Set<string>();
  const referred = new Set<string>();
  const note = (range: SlotRange): void => {
    if (range.kind === 'union') range.alternatives.forEach(note);
    else if (range.kind === 'array') note(range.of);
    else if (range.kind === 'class')
      (range.inlining === 'reference' ? referred : inlined).add(range.className);
  };
  for (const { slots } of classes.values()) for (const { range } of slots.values()) note(range);
  const isAbove = (names: ReadonlySet<string>) => (name: string) =>
    classes.get(name)!.ancestors.some((above) => names.has(above));
  return new Set([...classes.keys()].filter(isAbove(inlined)).filter((name) => !isAbove(referred)(name)));
}

function isPid(slot: { readonly name: string }): boolean {
  return slot.name === PID;
}

const NONE = 'The schema has no class whose objects can be records.';
/** Classes that a message names. */
const MOST_NAMED = 5;

/**
 * Why records of some classes cannot be stored; undefined if they can.
 *
 * @param names of the classes whose records a collection stores
 */
export function pidMissing(classes: Classes, names: readonly string[]): string | undefined {
  const stored = recordClassesOf(classes).length > 0 ? names : [...classes.keys()];
  const without = stored
    .flatMap((name) => classes.get(name) ?? [])
    .filter(({ abstract, mixin, treeRoot, isAny, identifier }) => {
      const isPart = names.length === 0 && (treeRoot || isAny);
      return !abstract && !mixin && !isPart && !(identifier && isPid(identifier));
    });
  if (without.length === 0) return undefined;
  const first = without.slice(0, MOST_NAMED).map(whyWithout);
  if (stored.length === without.length || names.length === 0) first.unshift(NONE);
  const more = without.length - MOST_NAMED;
  return `${first.join(' ')}${more > 0 ? ` The same is true of ${more} other classes.` : ''}`;
}

/** Why the records of a class cannot be stored, and what to do. */
export function whyWithout({ name, identifier, slots }: ClassDefinition): string {
  const other = identifier ? `, its identifier is \`${identifier.name}\`` : '';
  if (slots.has(PID))
    return `Class ${name} has a slot \`pid\` that is not its identifier${other}: set identifier: true for \`pid\` alone.`;
  const found = `Class ${name} has no slot \`pid\` to identify its records${other}`;
  return identifier
    ? `${found}: rename \`${identifier.name}\` to \`pid\`, with the range uriorcurie.`
    : `${found}: add it with identifier: true and the range uriorcurie.`;
}

/** Restricts the classes of the schema that a collection stores. */
type Chosen = { readonly use_classes: readonly string[]; readonly ignore_classes: readonly string[] };
const ALL: Chosen = { use_classes: [], ignore_classes: [] };

/** The classes whose records a collection stores, in the order of the schema (specification 2.3). */
export function storedClasses(
  { recordClasses }: { readonly recordClasses: readonly string[] },
  { use_classes, ignore_classes }: Chosen,
): string[] {
  return recordClasses.filter(
    (name) => (use_classes.length === 0 || use_classes.includes(name)) && !ignore_classes.includes(name),
  );
}

/** @throws ServiceError `schema_invalid` if records of a collection have no `pid` that identifies them */
export function requirePids(
  schema: { readonly address: string; readonly classes: Classes; readonly recordClasses: readonly string[] },
  chosen: Chosen = ALL,
): void {
  const missing = pidMissing(schema.classes, storedClasses(schema, chosen));
  if (missing === undefined) return;
  const way = missing.startsWith(NONE) ? '' : ' Leave out classes without records with ignore_classes.';
  throw new ServiceError('schema_invalid', `Cannot use the schema ${schema.address}: ${missing}${way}`);
}
