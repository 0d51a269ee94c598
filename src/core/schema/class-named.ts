/** The class that an object names in its type designator. */
import type { JsonObject } from '#linkml/json.ts';
import { lowestClass, namesInDesignator, type Schema } from './schema.ts';

/**
 * The class that the type designator of an object names, by any spelling: its name, CURIE or IRI. Undefined if the
 * object names none that may stand where `className` is expected.
 */
export function classNamed(schema: Schema, className: string, object: JsonObject): string | undefined {
  const designator = schema.classes.get(className)?.typeDesignator;
  if (!designator || !Object.hasOwn(object, designator.name)) return undefined;
  const named = namesBelow(schema, className);
  const found = namesInDesignator(object[designator.name])
    .map((name) => named.get(name))
    .filter((one) => one !== undefined);
  return lowestClass(found, (name) => schema.classes.get(name)!);
}

/** The class of an object where one of `className` is expected: the one that it names, else that one. */
export function classOfObject(schema: Schema, className: string, object: JsonObject): string {
  return classNamed(schema, className, object) ?? className;
}

function namesBelow(schema: Schema, className: string): ReadonlyMap<string, string> {
  const known = schema.derive(noNames);
  let names = known.get(className);
  if (!names) {
    names = classSpellings(schema, className);
    known.set(className, names);
  }
  return names;
}

/** Class → what designators hold → the class below it that they name. */
function noNames(): Map<string, ReadonlyMap<string, string>> {
  return new Map();
}

function classSpellings(schema: Schema, className: string): Map<string, string> {
  const names = new Map<string, string>();
  for (const name of schema.descendants(className)) {
    const definition = schema.classes.get(name)!;
    for (const spelling of [definition.designation, definition.curie, definition.uri, name])
      if (spelling !== undefined && !names.has(spelling)) names.set(spelling, name);
  }
  return names;
}
