/**
 * From induced definitions in the words of the schema to the model: classes, slots, types and enums with all names resolved.
 */
import { ServiceError } from '../errors.ts';
import { buildPrefixes, isAbsoluteIri, type Prefixes } from './curie.ts';
import { type Definition, flagOf, isMapping, mappingsOf, namedOf, textOf, textsOf } from './definitions.ts';
import { defineEnum } from './enums.ts';
import { compileExpression } from './expressions.ts';
import { defaultValue } from './ifabsent.ts';
import { type InducedSlot, type Induction, induce, resolved } from './induce.ts';
import type { Element, LoadedSchema, SchemaFile } from './load.ts';
import type {
  ClassDefinition,
  ClassExpression,
  ClassRule,
  Constraints,
  EnumDefinition,
  Inlining,
  SlotDefinition,
  SlotExpression,
  SlotRange,
  TypeDefinition,
  UniqueKey,
} from './model.ts';
import { camelCase, snakeCase } from './names.ts';
import { compilePattern } from './patterns.ts';
import { UntranslatablePattern } from './python-regex.ts';
import { nearest } from './suggestions.ts';
import { unsupportedElements } from './supported.ts';
import { BUILT_IN_TYPES, typeOfBase } from './types.ts';
import type { YamlValue } from './yaml.ts';

export type Definitions = {
  readonly prefixes: Prefixes;
  readonly classes: ReadonlyMap<string, ClassDefinition>;
  readonly types: ReadonlyMap<string, TypeDefinition>;
  readonly enums: ReadonlyMap<string, EnumDefinition>;
  /** A class and all below it, by their names in camel case; the order is that in which unions are tried. */
  descendants(className: string): readonly string[];
  readonly warnings: readonly string[];
};

/** The URIs of types whose values are resources in RDF, as the schema spells them: the peer compares the spelling. */
const IRI_DATATYPES = new Set(['xsd:anyURI', 'rdfs:Resource']);

/** @throws ServiceError `schema_invalid` */
export function define(loaded: LoadedSchema): Definitions {
  return new Definer(loaded).run();
}

/** The state of one definition run; it ends with {@link Definer.run}. */
class Definer {
  readonly #loaded: LoadedSchema;
  readonly #induction: Induction;
  readonly #prefixes: Prefixes;
  readonly #types = new Map<string, TypeDefinition>();
  readonly #enums = new Map<string, EnumDefinition>();
  readonly #slots = new Map<InducedSlot, SlotDefinition>();
  readonly #induced = new Map<string, readonly InducedSlot[]>();
  readonly #defaultRange: string | undefined;
  readonly #warnings: string[];

  constructor(loaded: LoadedSchema) {
    this.#loaded = loaded;
    this.#warnings = [...loaded.warnings, ...unsupportedElements(loaded)];
    this.#prefixes = buildPrefixes(loaded.prefixes);
    this.#induction = induce(loaded);
    this.#defaultRange = textOf(loaded.main.source.default_range);
  }

  run(): Definitions {
    for (const name of this.#loaded.types.keys()) this.#type(name, []);
    for (const name of this.#loaded.enums.keys()) this.#enums.set(name, this.#enum(name));
    const classes = new Map<string, ClassDefinition>();
    for (const name of this.#induction.classes.sorted) {
      const definition = this.#class(name);
      const before = classes.get(definition.name);
      if (before)
        this.#warn(`classes.${name}: has the same name in data as ${before.schemaName}, and replaces it.`);
      classes.set(definition.name, definition);
    }
    return {
      prefixes: this.#prefixes,
      classes,
      types: this.#types,
      enums: this.#enums,
      descendants: (className) => {
        const found = classes.get(className);
        return found ? this.#induction.classes.descendants(found.schemaName).map(camelCase) : [];
      },
      warnings: [...new Set(this.#warnings)],
    };
  }

  #warn(message: string): void {
    this.#warnings.push(message);
  }

  // Names and IRIs

  /** The IRI and CURIE of an element: what it declares, else the default prefix of its file and its name. */
  #names(declared: string | undefined, file: SchemaFile, localName: string): { uri: string; curie: string } {
    if (declared === undefined) {
      const start = defaultPrefix(file);
      const iri = this.#prefixes.map.get(start);
      if (iri !== undefined) return { uri: iri + localName, curie: `${start}:${localName}` };
      return { uri: start + localName, curie: this.#prefixes.compact(start + localName) };
    }
    if (isAbsoluteIri(declared)) return { uri: declared, curie: this.#prefixes.compact(declared) };
    const uri = this.#prefixes.expand(declared);
    if (uri === undefined)
      this.#warn(`${declared} (${file.place}) has no known prefix, and is taken for an IRI.`);
    return { uri: uri ?? declared, curie: declared };
  }

  // Types and enums

  #type(name: string, below: readonly string[]): TypeDefinition {
    const known = this.#types.get(name);
    if (known) return known;
    if (below.includes(name))
      throw new ServiceError(
        'schema_invalid',
        `The types inherit in a circle: ${[...below, name].join(' → ')}.`,
      );
    const element = this.#loaded.types.get(name);
    if (!element) return this.#builtIn(name);
    const { source, file } = element;
    const parentName = textOf(source.typeof);
    if (parentName !== undefined && !this.#loaded.types.has(parentName) && !BUILT_IN_TYPES.has(parentName))
      throw this.#unknown(`The type ${name} (${file.place}) is a typeof`, parentName, ['type']);
    const parent = parentName === undefined ? undefined : this.#type(parentName, [...below, name]);
    const base =
      parent?.base ??
      (BUILT_IN_TYPES.has(name)
        ? name
        : (typeOfBase(textOf(source.base) ?? textOf(source.repr)) ?? 'string'));
    const declared = textOf(source.uri);
    const uri =
      declared === undefined && parent ? parent.uri : this.#names(declared, file, camelCase(name)).uri;
    const type: TypeDefinition = {
      name,
      uri,
      base,
      isIri: declared === undefined ? (parent?.isIri ?? false) : IRI_DATATYPES.has(declared),
      description: textOf(source.description),
      constraints: {
        ...parent?.constraints,
        ...this.#constraints(resolved(source, file, this.#loaded), `types.${name}`, undefined),
      },
      unionOf: textsOf(source.union_of).map((member) => this.#type(member, [...below, name])),
    };
    this.#types.set(name, type);
    return type;
  }

  /** A type of `linkml:types` in a schema that does not import it. */
  #builtIn(name: string): TypeDefinition {
    const row = BUILT_IN_TYPES.get(name);
    if (!row) throw this.#unknown('A type is', name, ['type']);
    const uri = row.uri
      .replace('xsd:', 'http://www.w3.org/2001/XMLSchema#')
      .replace('linkml:', 'https://w3id.org/linkml/')
      .replace('shex:', 'http://www.w3.org/ns/shex#');
    const type: TypeDefinition = {
      name,
      uri,
      base: name,
      isIri: IRI_DATATYPES.has(row.uri),
      description: undefined,
      constraints: {},
      unionOf: [],
    };
    this.#types.set(name, type);
    return type;
  }

  #enum(name: string): EnumDefinition {
    const element = this.#loaded.enums.get(name)!;
    return defineEnum(element, {
      enums: this.#loaded.enums,
      uri: this.#names(textOf(element.source.enum_uri), element.file, camelCase(name)).uri,
      expand: (meaning) => this.#names(meaning, element.file, '').uri,
      warn: (message) => this.#warn(message),
    });
  }

  // Ranges

  #range(
    name: string,
    inlined: boolean | undefined,
    asList: boolean | undefined,
    multivalued: boolean,
    where: string,
  ): SlotRange {
    const element = this.#loaded.classes.get(name);
    if (element) return this.#classRange(name, element, inlined, asList, multivalued);
    const found = this.#enums.get(name);
    if (found) return { kind: 'enum', enum: found };
    if (this.#loaded.types.has(name) || BUILT_IN_TYPES.has(name))
      return { kind: 'type', type: this.#type(name, []) };
    if (name === 'Any') return { kind: 'any' };
    throw this.#unknown(`${where} has the range`, name, ['class', 'enum', 'type']);
  }

  #classRange(
    name: string,
    element: Element,
    inlined: boolean | undefined,
    asList: boolean | undefined,
    multivalued: boolean,
  ): SlotRange {
    if (this.#isAny(element)) return { kind: 'any' };
    const slots = this.#inducedSlots(name);
    const handle =
      slots.find((slot) => flagOf(slot.source.identifier)) ?? slots.find((slot) => flagOf(slot.source.key));
    let inlining: Inlining = 'object';
    if (!inlined && !asList && handle) inlining = 'reference';
    else if (multivalued && inlined && !asList && handle)
      inlining = this.#isSimple(slots, handle) ? 'simple-dict' : 'dict';
    return { kind: 'class', className: camelCase(name), inlining };
  }

  /** Besides its key there is exactly one slot, and that holds a plain value. */
  #isSimple(slots: readonly InducedSlot[], handle: InducedSlot): boolean {
    const other = slots.find((slot) => slot !== handle);
    if (slots.length !== 2 || !other || flagOf(other.source.multivalued)) return false;
    const range = textOf(other.source.range) ?? this.#defaultRange ?? 'string';
    return this.#loaded.types.has(range) || (BUILT_IN_TYPES.has(range) && !this.#loaded.classes.has(range));
  }

  #isAny(element: Element): boolean {
    const uri = textOf(element.source.class_uri);
    return uri !== undefined && this.#prefixes.expand(uri) === 'https://w3id.org/linkml/Any';
  }

  #unknown(subject: string, name: string, kinds: readonly string[]): ServiceError {
    const names = [
      ...(kinds.includes('class') ? this.#loaded.classes.keys() : []),
      ...(kinds.includes('enum') ? this.#loaded.enums.keys() : []),
      ...this.#loaded.types.keys(),
      ...BUILT_IN_TYPES.keys(),
    ];
    const guess = nearest(name, names);
    return new ServiceError(
      'schema_invalid',
      `${subject} ${name}, which is no ${kinds.join(', ')} of the schema.${guess ? ` Is ${guess} meant?` : ''}`,
    );
  }

  // Slots

  #inducedSlots(className: string): readonly InducedSlot[] {
    const known = this.#induced.get(className);
    if (known) return known;
    const slots = this.#induction.slotsOf(className);
    this.#induced.set(className, slots);
    return slots;
  }

  #slot(induced: InducedSlot, className: string, classNames: { uri: string; curie: string }): SlotDefinition {
    const known = this.#slots.get(induced);
    if (known) return known;
    const { source, file, schemaName } = induced;
    const where = `The slot ${schemaName} of the class ${className}`;
    const range = this.#slotRange(source, where);
    const names = this.#names(textOf(source.slot_uri), file, snakeCase(schemaName));
    const identifier = flagOf(source.identifier) ?? false;
    const key = flagOf(source.key) ?? false;
    const multivalued = flagOf(source.multivalued) ?? false;
    const filled = defaultValue(textOf(source.ifabsent), {
      range,
      multivalued,
      slot: names,
      ofClass: classNames,
      defaultRange: this.#defaultRange,
      warn: (reason) => this.#warn(`slots.${schemaName}.ifabsent (class ${className}): ${reason}`),
    });
    const slot: SlotDefinition = {
      name: dataName(textOf(source.alias) ?? schemaName),
      schemaName,
      ...names,
      title: textOf(source.title),
      description: textOf(source.description),
      range,
      multivalued,
      required: (flagOf(source.required) ?? false) || identifier || key,
      recommended: flagOf(source.recommended) ?? false,
      identifier,
      key,
      designatesType: flagOf(source.designates_type) ?? false,
      uniqueElements: flagOf(source.list_elements_unique) ?? false,
      default: filled.value,
      constraints: this.#constraints(source, where, source),
    };
    if (!filled.dependsOnClass) this.#slots.set(induced, slot);
    return slot;
  }

  /** The range, or the union of the ranges of `any_of` and, where no range is given, `exactly_one_of` and `all_of`. */
  #slotRange(source: Definition, where: string): SlotRange {
    const given = textOf(source.range);
    const asList = flagOf(source.inlined_as_list);
    const inlined = flagOf(source.inlined) ?? (asList ? true : undefined);
    const multivalued = flagOf(source.multivalued) ?? false;
    const rangeOf = (name: string): SlotRange => this.#range(name, inlined, asList, multivalued, where);
    const own = rangeOf(given ?? this.#defaultRange ?? 'string');
    const branches = (key: string): string[] =>
      mappingsOf(source[key])
        .map((branch) => textOf(branch.range))
        .filter((range) => range !== undefined);
    const anyOf = branches('any_of');
    if (anyOf.length > 0) {
      const all = mappingsOf(source.any_of).map(
        (branch) => textOf(branch.range) ?? given ?? this.#defaultRange ?? 'string',
      );
      return union(all.map(rangeOf));
    }
    if (given !== undefined && own.kind !== 'any') return own;
    const others = [...branches('exactly_one_of'), ...branches('all_of')];
    if (others.length > 0) return union(others.map(rangeOf));
    const enumRange = mappingsOf(source.enum_range)[0];
    if (enumRange) return { kind: 'enum', enum: this.#inlineEnum(enumRange, where) };
    return own;
  }

  #inlineEnum(source: Definition, where: string): EnumDefinition {
    const element: Element = { name: where, file: this.#loaded.main, source };
    return defineEnum(element, {
      enums: this.#loaded.enums,
      uri: '',
      expand: (meaning) => this.#names(meaning, this.#loaded.main, '').uri,
      warn: (message) => this.#warn(message),
    });
  }

  /** The constraints of a slot, a type or a branch; `slot` gives branches the inlining of the slot that they are in. */
  #constraints(source: Definition, where: string, slot: Definition | undefined): Constraints {
    const result: { -readonly [K in keyof Constraints]: Constraints[K] } = {};
    const branches = (key: string): SlotExpression[] =>
      mappingsOf(source[key]).map((branch) => this.#expression(branch, where, slot));
    const pattern = textOf(source.pattern);
    if (pattern !== undefined) result.pattern = this.#pattern(pattern, where);
    if (isBound(source.minimum_value)) result.minimumValue = source.minimum_value;
    if (isBound(source.maximum_value)) result.maximumValue = source.maximum_value;
    const equalsString = textOf(source.equals_string);
    if (equalsString !== undefined) result.equalsString = equalsString;
    if (source.equals_string_in) result.equalsStringIn = textsOf(source.equals_string_in);
    if (isBound(source.equals_number)) result.equalsNumber = source.equals_number;
    const expression = textOf(source.equals_expression);
    if (expression !== undefined && this.#isExpression(expression, where))
      result.equalsExpression = expression;
    const exact = countOf(source.exact_cardinality);
    const least = exact ?? countOf(source.minimum_cardinality);
    const most = exact ?? countOf(source.maximum_cardinality);
    if (least !== undefined) result.minimumCardinality = least;
    if (most !== undefined) result.maximumCardinality = most;
    const presence = textOf(source.value_presence);
    if (presence === 'PRESENT' || presence === 'ABSENT') result.valuePresence = presence;
    if (isMapping(source.has_member)) result.hasMember = this.#expression(source.has_member, where, slot);
    if (isMapping(source.all_members)) result.allMembers = this.#expression(source.all_members, where, slot);
    if (source.any_of) result.anyOf = branches('any_of');
    if (source.all_of) result.allOf = branches('all_of');
    if (source.exactly_one_of) result.exactlyOneOf = branches('exactly_one_of');
    if (source.none_of) result.noneOf = branches('none_of');
    return result;
  }

  #isExpression(expression: string, where: string): boolean {
    try {
      compileExpression(expression);
      return true;
    } catch (error) {
      this.#warn(
        `${where}: the equals_expression ${expression} is not enforced, since it ${(error as Error).message}.`,
      );
      return false;
    }
  }

  /** Compiles a pattern once to see whether it can be used; the check finds it compiled. */
  #pattern(pattern: string, where: string): string {
    try {
      const { limit, reason } = compilePattern(pattern);
      if (reason !== undefined)
        this.#warn(
          `${where}: the pattern ${pattern} is only tried on texts of at most ${limit} characters, longer ones are refused: ${reason}.`,
        );
    } catch (error) {
      if (!(error instanceof UntranslatablePattern)) throw error;
      throw new ServiceError(
        'schema_invalid',
        `${where}: the pattern ${pattern} can't be used: ${error.message}.`,
      );
    }
    return pattern;
  }

  #expression(branch: Definition, where: string, slot: Definition | undefined): SlotExpression {
    const source = resolved(branch, this.#loaded.main, this.#loaded);
    const constraints = this.#constraints(source, where, slot);
    const result: { -readonly [K in keyof SlotExpression]: SlotExpression[K] } = { ...constraints };
    const range = textOf(source.range);
    if (range !== undefined) {
      const asList = flagOf(source.inlined_as_list) ?? flagOf(slot?.inlined_as_list);
      const inlined = flagOf(source.inlined) ?? flagOf(slot?.inlined) ?? (asList ? true : undefined);
      result.range = this.#range(range, inlined, asList, flagOf(slot?.multivalued) ?? false, where);
    }
    if (isMapping(source.range_expression))
      result.rangeExpression = this.#classExpression(source.range_expression, where);
    const required = flagOf(source.required);
    if (required !== undefined) result.required = required;
    return result;
  }

  // Classes

  #class(schemaName: string): ClassDefinition {
    const element = this.#loaded.classes.get(schemaName)!;
    const { source, file } = element;
    const name = camelCase(schemaName);
    const names = this.#names(textOf(source.class_uri), file, name);
    const slots = new Map<string, SlotDefinition>();
    for (const induced of this.#inducedSlots(schemaName)) {
      const slot = this.#slot(induced, schemaName, names);
      if (slots.has(slot.name))
        this.#warn(
          `classes.${schemaName}: two slots have the name ${slot.name} in data; the nearer one counts.`,
        );
      else slots.set(slot.name, slot);
    }
    const all = [...slots.values()];
    const typeDesignator = all.find((slot) => slot.designatesType);
    const ancestors = this.#induction.classes.ancestors(schemaName);
    const inherited = <T>(key: string, read: (definition: Definition) => T[]): T[] =>
      ancestors.flatMap((ancestor) =>
        this.#loaded.classes.get(ancestor)!.source[key]
          ? read(this.#loaded.classes.get(ancestor)!.source)
          : [],
      );
    const where = `The class ${schemaName}`;
    const isA = textOf(source.is_a);
    return {
      name,
      schemaName,
      ...names,
      nativeUri: this.#names(undefined, file, name).uri,
      title: textOf(source.title),
      description: textOf(source.description),
      abstract: flagOf(source.abstract) ?? false,
      mixin: flagOf(source.mixin) ?? false,
      treeRoot: flagOf(source.tree_root) ?? false,
      isA: isA === undefined ? undefined : camelCase(isA),
      mixins: textsOf(source.mixins).map(camelCase),
      ancestors: ancestors.map(camelCase),
      slots,
      identifier: all.find((slot) => slot.identifier),
      key: all.find((slot) => slot.key),
      typeDesignator,
      designation: typeDesignator && designation(typeDesignator, schemaName, names),
      isAny: this.#isAny(element),
      uniqueKeys: inherited('unique_keys', (definition) => this.#uniqueKeys(definition)),
      rules: inherited('rules', (definition) =>
        mappingsOf(definition.rules).flatMap((rule) => this.#rule(rule, where)),
      ),
      expression: this.#inheritedExpression(ancestors, where),
    };
  }

  #uniqueKeys(source: Definition): UniqueKey[] {
    return [...namedOf(source.unique_keys, 'unique_key_slots', 'unique_key_name')].map(
      ([name, definition]) => ({
        name,
        slots: textsOf(definition.unique_key_slots).map((slot) => this.#dataNameOf(slot)),
        considerNullsInequal: flagOf(definition.consider_nulls_inequal) ?? false,
      }),
    );
  }

  #rule(source: Definition, where: string): ClassRule[] {
    if (flagOf(source.deactivated)) return [];
    const part = (key: string): ClassExpression | undefined =>
      isMapping(source[key]) ? this.#classExpression(source[key], where) : undefined;
    return [
      {
        title: textOf(source.title) ?? textOf(source.description),
        preconditions: part('preconditions'),
        postconditions: part('postconditions'),
        elseconditions: part('elseconditions'),
        bidirectional: flagOf(source.bidirectional) ?? false,
        openWorld: flagOf(source.open_world) ?? false,
      },
    ];
  }

  /** The expressions of a class and of all above it, all of which hold. */
  #inheritedExpression(ancestors: readonly string[], where: string): ClassExpression {
    const keys = ['any_of', 'all_of', 'exactly_one_of', 'none_of', 'slot_conditions'];
    const own = ancestors
      .map((ancestor) => this.#loaded.classes.get(ancestor)!.source)
      .filter((source) => keys.some((key) => source[key]))
      .map((source) => this.#classExpression(source, where, false));
    return own.length === 1
      ? own[0]!
      : { isA: undefined, slots: new Map(), anyOf: [], allOf: own, exactlyOneOf: [], noneOf: [] };
  }

  #classExpression(source: Definition, where: string, anonymous = true): ClassExpression {
    const branches = (key: string): ClassExpression[] =>
      mappingsOf(source[key]).map((branch) => this.#classExpression(branch, where));
    const slots = new Map<string, SlotExpression>();
    for (const [name, condition] of namedOf(source.slot_conditions))
      slots.set(
        this.#dataNameOf(name),
        this.#expression(condition, `${where}, slot condition ${name}`, this.#loaded.slots.get(name)?.source),
      );
    const isA = anonymous ? textOf(source.is_a) : undefined;
    return {
      isA: isA === undefined ? undefined : camelCase(isA),
      slots,
      anyOf: branches('any_of'),
      allOf: branches('all_of'),
      exactlyOneOf: branches('exactly_one_of'),
      noneOf: branches('none_of'),
    };
  }

  #dataNameOf(schemaName: string): string {
    return dataName(textOf(this.#loaded.slots.get(schemaName)?.source.alias) ?? schemaName);
  }
}

/** A prefix name, or an IRI to which names are appended. */
export function defaultPrefix(file: SchemaFile): string {
  const declared = textOf(file.source.default_prefix);
  if (declared !== undefined) return declared;
  const id = textOf(file.source.id) ?? '';
  return /[/#_:]$/.test(id) ? id : `${id}/`;
}

/** The key of a slot in data. */
function dataName(name: string): string {
  return snakeCase(name).replace(/[^\p{L}\p{N}_]/gu, '_');
}

function designation(
  slot: SlotDefinition,
  schemaName: string,
  names: { uri: string; curie: string },
): string {
  const base = slot.range.kind === 'type' ? slot.range.type.base : 'string';
  if (base === 'uri') return names.uri;
  return base === 'string' || base === 'ncname' ? schemaName : names.curie;
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
  return range.kind === 'any' ? 'Any' : range.alternatives.map(pythonName).join();
}

function isBound(value: YamlValue | undefined): value is string | number {
  return (
    value !== undefined &&
    value !== null &&
    !Array.isArray(value) &&
    !isMapping(value) &&
    typeof value !== 'boolean'
  );
}

function countOf(value: YamlValue | undefined): number | undefined {
  const count = Number(textOf(value));
  return Number.isInteger(count) && count >= 0 ? count : undefined;
}
