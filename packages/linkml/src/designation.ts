/**
 * Type designators: the slot that contains the class of an object (`designates_type`).
 *
 * It holds the name of the class. If the slot is multivalued, it holds a list, and the names of classes above may stand
 * beside that of the class.
 */
import type { JsonValue } from './json.ts';
import type { ClassDefinition } from './model.ts';

/** The part of a schema that decides about the classes of objects. */
type ClassHierarchy = {
  readonly classes: ReadonlyMap<string, ClassDefinition>;
  descendants(className: string): readonly string[];
};

/** The default value of the type designator of a class that has one. */
export function designationOf({ typeDesignator, designation }: ClassDefinition): JsonValue {
  return typeDesignator!.multivalued ? [designation!] : designation!;
}

/** The names that a designator holds. */
export function namesInDesignator(value: JsonValue | undefined): readonly string[] {
  const names: readonly JsonValue[] = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return names.filter((name) => typeof name === 'string');
}

/** Whether a designator may hold the value in an object of the class. */
export function isDesignation(
  value: JsonValue,
  { typeDesignator, designation, ancestors }: ClassDefinition,
  classOf: (name: string) => ClassDefinition | undefined,
): boolean {
  if (!typeDesignator!.multivalued) return value === designation;
  if (!Array.isArray(value) || !value.includes(designation!)) return false;
  const names = new Set<JsonValue | undefined>(ancestors.map((name) => classOf(name)?.designation));
  return value.every((name) => names.has(name));
}

/**
 * The classes of which an object can be in a slot whose range is a class: the class and, if it has a designator that
 * could name them, those below it; abstract ones have no objects.
 */
export function classesInRange(
  { classes, descendants }: ClassHierarchy,
  className: string,
): readonly ClassDefinition[] {
  const names = classes.get(className)?.typeDesignator ? descendants(className) : [className];
  return names.flatMap((name) => classes.get(name) ?? []).filter(({ abstract }) => !abstract);
}

/** The lowest of some classes: the one that is farthest below the root. */
export function lowestClass<T>(
  classes: readonly T[],
  definition: (one: T) => ClassDefinition,
): T | undefined {
  return classes.reduce<T | undefined>((low, one) => {
    const isLower = !low || definition(one).ancestors.length > definition(low).ancestors.length;
    return isLower ? one : low;
  }, undefined);
}
