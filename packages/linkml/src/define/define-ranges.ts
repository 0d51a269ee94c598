/** Ranges: the element that a name refers to, how objects are inlined, and the unions of boolean expressions. */
import { LinkmlError } from '../errors.ts';
import { countOf, type Definition, flagOf, isMapping, mappingsOf, yamlText } from '../load/definitions.ts';
import type { Element } from '../load/loaded.ts';
import type { ArrayShape, Bounds, Inlining, SlotRange } from '../model.ts';
import { BUILT_IN_TYPES } from '../types/types.ts';
import { inlineEnum } from './define-enums.ts';
import {
  type DefinitionContext,
  inducedSlots,
  isType,
  unionMembers,
  unknownName,
} from './definition-context.ts';
import type { InducedSlot } from './induce.ts';
import { camelCase } from './names.ts';

/** Defines the values of a slot: those of its range, or arrays of them. */
export function slotRange(context: DefinitionContext, source: Definition, where: string): SlotRange {
  const range = valueRange(context, source, where);
  return isMapping(source.array) ? { kind: 'array', of: range, shape: arrayShape(source.array) } : range;
}

/** The range, or the union of the ranges of `any_of` and, if no range is given, `exactly_one_of` and `all_of`. */
function valueRange(context: DefinitionContext, source: Definition, where: string): SlotRange {
  const given = yamlText(source.range);
  const holding = holdingOf(source);
  const named = (name: string): SlotRange => rangeOf(context, name, holding, where);
  const own = named(given ?? context.defaultRange ?? 'string');
  const branches = (key: string): string[] =>
    mappingsOf(source[key])
      .map((branch) => yamlText(branch.range))
      .filter((range) => range !== undefined);
  const anyOf = branches('any_of');
  if (anyOf.length > 0) {
    const all = mappingsOf(source.any_of).map(
      (branch) => yamlText(branch.range) ?? given ?? context.defaultRange ?? 'string',
    );
    return union(all.map(named));
  }
  if (given !== undefined && own.kind !== 'any') return own;
  const others = [...branches('exactly_one_of'), ...branches('all_of')];
  if (others.length > 0) return union(others.map(named));
  const enumRange = mappingsOf(source.enum_range)[0];
  if (enumRange) return { kind: 'enum', enum: inlineEnum(context, enumRange, where) };
  return own;
}

/** How a slot inlines objects. */
type Holding = {
  readonly inlined: boolean | undefined;
  readonly asList: boolean | undefined;
  readonly multivalued: boolean;
};

/** A slot, or a branch of its expressions; a branch inherits from the slot what it does not define. */
export function holdingOf(source: Definition, slot: Definition = source): Holding {
  const asList = flagOf(source.inlined_as_list) ?? flagOf(slot.inlined_as_list);
  const inlined = flagOf(source.inlined) ?? flagOf(slot.inlined) ?? (asList ? true : undefined);
  return { inlined, asList, multivalued: flagOf(slot.multivalued) ?? false };
}

/** Unions within unions; more of them is a circle. */
const MOST_UNIONS = 20;

/** The class, enum or type that a name refers to. */
export function rangeOf(
  context: DefinitionContext,
  name: string,
  holding: Holding,
  where: string,
  depth = 0,
): SlotRange {
  if (depth > MOST_UNIONS) throw new LinkmlError('schema_invalid', `${where} refers to itself.`);
  const { classes } = context.loaded;
  const element = classes.get(name);
  const members = element
    ? unionMembers(context, 'classes', name, element, (member) => {
        return classes.has(member) || context.enums.has(member) || isType(context, member);
      })
    : [];
  if (members.length > 0)
    return union(
      members.map((member) =>
        rangeOf(context, member, holding, `${where}, in the union ${name},`, depth + 1),
      ),
    );
  if (element) return classRange(context, name, element, holding);
  const found = context.enums.get(name);
  if (found) return { kind: 'enum', enum: found };
  if (isType(context, name)) return { kind: 'type', type: context.typeOf(name) };
  if (name === 'Any') return { kind: 'any' };
  throw unknownName(context, `${where} has the range`, name, ['class', 'enum', 'type']);
}

function classRange(
  context: DefinitionContext,
  name: string,
  element: Element,
  { inlined, asList, multivalued }: Holding,
): SlotRange {
  if (isAnyClass(context, element)) return { kind: 'any' };
  const slots = inducedSlots(context, name);
  const handle =
    slots.find((slot) => flagOf(slot.source.identifier)) ?? slots.find((slot) => flagOf(slot.source.key));
  let inlining: Inlining = 'object';
  if (!inlined && !asList && handle) inlining = 'reference';
  else if (multivalued && inlined && !asList && handle)
    inlining = isSimpleDict(context, slots, handle) ? 'simple-dict' : 'dict';
  return { kind: 'class', className: camelCase(name), inlining };
}

/** Besides its key there is exactly one slot, and that holds a plain value. */
function isSimpleDict(
  context: DefinitionContext,
  slots: readonly InducedSlot[],
  handle: InducedSlot,
): boolean {
  const other = slots.find((slot) => slot !== handle);
  if (slots.length !== 2 || !other || flagOf(other.source.multivalued)) return false;
  const range = yamlText(other.source.range) ?? context.defaultRange ?? 'string';
  return context.loaded.types.has(range) || (BUILT_IN_TYPES.has(range) && !context.loaded.classes.has(range));
}

/** Whether a class accepts any value: `class_uri: linkml:Any`. */
export function isAnyClass(context: DefinitionContext, element: Element): boolean {
  const uri = yamlText(element.source.class_uri);
  return uri !== undefined && context.prefixes.expand(uri) === 'https://w3id.org/linkml/Any';
}

/** One range, or the union in the order in which the Python tools try its branches: sorted by the names of Python types. */
function union(ranges: readonly SlotRange[]): SlotRange {
  const byName = new Map(ranges.map((range) => [pythonName(range), range]));
  const alternatives = [...byName].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, range]) => range);
  return alternatives.length === 1 ? alternatives[0]! : { kind: 'union', alternatives };
}

function pythonName(range: SlotRange): string {
  if (range.kind === 'type') return `${BUILT_IN_TYPES.get(range.type.base)!.python}\0${range.type.name}`;
  if (range.kind === 'enum') return range.enum.name;
  if (range.kind === 'class')
    return range.inlining === 'reference' ? `str\0${range.className}` : range.className;
  if (range.kind === 'union') return range.alternatives.map(pythonName).join();
  return range.kind === 'any' ? 'Any' : 'list';
}

/** The shape that an `array` expression asks for: any number of dimensions, if it says nothing. */
function arrayShape(source: Definition): ArrayShape {
  const sizes = mappingsOf(source.dimensions).map((dimension) => boundsOf(dimension, 'cardinality'));
  const { least, most } = boundsOf(source, 'number_dimensions');
  // Dimensions that are listed are all there are, unless the expression counts them.
  const counted = least !== undefined || most !== undefined || source.maximum_number_dimensions === false;
  return {
    dimensions: {
      least: Math.max(least ?? 1, sizes.length, 1),
      most: counted || sizes.length === 0 ? most : sizes.length,
    },
    sizes,
  };
}

function boundsOf(source: Definition, what: string): Bounds {
  const exact = countOf(source[`exact_${what}`]);
  return {
    least: exact ?? countOf(source[`minimum_${what}`]),
    most: exact ?? countOf(source[`maximum_${what}`]),
  };
}
