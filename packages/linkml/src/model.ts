/**
 * The merged and induced schema as data: what checks, JSON Schema and Turtle are driven by.
 *
 * "Induced" is LinkML's word for a slot as it applies in one class: `is_a`, `mixins`, `attributes` and `slot_usage`
 * applied (LinkML specification, part 4, derivation).
 */
import type { JsonValue } from './json.ts';
import type { TermForm, ValueSet } from './terms/value-sets.ts';

/** A class with everything it inherits. */
export type ClassDefinition = {
  /** The name in camel case, as in URLs. */
  readonly name: string;
  /** The name as the schema spells it. */
  readonly schemaName: string;
  /** The IRI: `class_uri`, else default prefix and name. */
  readonly uri: string;
  /** The CURIE of `uri`, else `uri` itself. */
  readonly curie: string;
  /** The IRI of default prefix and name, whatever `class_uri` says (LinkML's `definition_uri`). */
  readonly nativeUri: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** Other names of the class (`aliases`), and the IRIs of classes elsewhere that mean the same (`exact_mappings`). */
  readonly aliases: readonly string[];
  readonly exactMappings: readonly string[];
  readonly abstract: boolean;
  readonly mixin: boolean;
  readonly treeRoot: boolean;
  readonly isA: string | undefined;
  readonly mixins: readonly string[];
  /** The class itself, then all above it, nearest first. */
  readonly ancestors: readonly string[];
  /** Induced slots by the name that they have in data (`alias`, else the slot's name with `_` for blanks). */
  readonly slots: ReadonlyMap<string, SlotDefinition>;
  /** The slot that names an object of the class: `identifier` (an IRI in RDF) or `key` (unique in its container). */
  readonly identifier: SlotDefinition | undefined;
  readonly key: SlotDefinition | undefined;
  readonly typeDesignator: SlotDefinition | undefined;
  /** The value of the type designator in an object of the class; undefined without a designator. */
  readonly designation: string | undefined;
  readonly isAny: boolean;
  readonly extraSlots: ExtraSlots;
  /** Groups of slots (names in data) whose values together must differ between the objects of one container. */
  readonly uniqueKeys: readonly UniqueKey[];
  readonly rules: readonly ClassRule[];
  /** Boolean expressions that an object must satisfy. */
  readonly expression: ClassExpression;
};

/** Keys of objects that are not slots (`extra_slots`). */
export type ExtraSlots = {
  readonly allowed: boolean;
  /** Conditions on their values. */
  readonly value: SlotExpression | undefined;
};

export type UniqueKey = {
  readonly name: string;
  readonly slots: readonly string[];
  /** Whether objects count as equal if a slot is missing in both. */
  readonly considerNullsInequal: boolean;
};

/** Conditions on slots of one object; `slots` is keyed by the names in data. */
export type ClassExpression = {
  /** The class, type or enum that a value must be of; undefined if the schema has no such element. */
  readonly isA: SlotRange | undefined;
  readonly slots: ReadonlyMap<string, SlotExpression>;
  readonly anyOf: readonly ClassExpression[];
  readonly allOf: readonly ClassExpression[];
  readonly exactlyOneOf: readonly ClassExpression[];
  readonly noneOf: readonly ClassExpression[];
};

/** `preconditions` ⇒ `postconditions`, else `elseconditions`; the other way round too, where bidirectional. */
export type ClassRule = {
  readonly title: string | undefined;
  readonly preconditions: ClassExpression | undefined;
  readonly postconditions: ClassExpression | undefined;
  readonly elseconditions: ClassExpression | undefined;
  readonly bidirectional: boolean;
  readonly openWorld: boolean;
};

/** How objects of a class are inlined in a slot that has the class as its range. */
export type Inlining =
  /** A reference: the identifier of the object. */
  | 'reference'
  /** The object itself, or a list of objects. */
  | 'object'
  /** A mapping from identifier or key to object. */
  | 'dict'
  /** A mapping from identifier or key to the value of the only other slot, or to the object. */
  | 'simple-dict';

/** The kinds of values. `alternatives` come from `any_of`, `exactly_one_of` and unions, in the order in which they are tried. */
export type SlotRange =
  | { readonly kind: 'type'; readonly type: TypeDefinition }
  | { readonly kind: 'enum'; readonly enum: EnumDefinition }
  | { readonly kind: 'class'; readonly className: string; readonly inlining: Inlining }
  | { readonly kind: 'any' }
  | { readonly kind: 'array'; readonly of: SlotRange; readonly shape: ArrayShape }
  | { readonly kind: 'union'; readonly alternatives: readonly SlotRange[] };

/** A least and a greatest number, if there is one. */
export type Bounds = { readonly least: number | undefined; readonly most: number | undefined };

/** The shape of values that are lists in lists. */
export type ArrayShape = {
  /** The depth of the values. */
  readonly dimensions: Bounds;
  /** How many values there are along the first dimensions. */
  readonly sizes: readonly Bounds[];
};

/** Conditions on a value beyond its range. Every member is absent if the schema says nothing. */
export type Constraints = {
  /** A Python regular expression that must occur in the string; `structured_pattern` is resolved. */
  readonly pattern?: string;
  readonly minimumValue?: JsonValue;
  readonly maximumValue?: JsonValue;
  readonly equalsString?: string;
  readonly equalsStringIn?: readonly string[];
  readonly equalsNumber?: JsonValue;
  readonly equalsExpression?: string;
  /** Bounds on the number of values; `exact_cardinality` sets both. */
  readonly minimumCardinality?: number;
  readonly maximumCardinality?: number;
  readonly valuePresence?: 'PRESENT' | 'ABSENT';
  readonly required?: boolean;
  readonly hasMember?: SlotExpression;
  readonly allMembers?: SlotExpression;
  readonly anyOf?: readonly SlotExpression[];
  readonly allOf?: readonly SlotExpression[];
  readonly exactlyOneOf?: readonly SlotExpression[];
  readonly noneOf?: readonly SlotExpression[];
  /** Conditions on an inlined object (`range_expression`). */
  readonly rangeExpression?: ClassExpression;
  readonly bindings?: readonly Binding[];
};

/** A slot of an inlined object whose values are terms (`bindings`). */
export type Binding = {
  /** The names of slots that lead to it; empty if the value itself is bound. */
  readonly path: readonly string[];
  /** The enum of the values, if it has values of a vocabulary; listed ones are an expression. */
  readonly enum: EnumDefinition | undefined;
  readonly required: boolean;
  /** Slots beside it that have the label of the term. */
  readonly labels: readonly string[];
};

/** One branch of a boolean expression. */
export type SlotExpression = Constraints & { readonly range?: SlotRange };

/** A slot as it applies in one class. */
export type SlotDefinition = {
  /** The name in data. */
  readonly name: string;
  /** The name as the schema spells it. */
  readonly schemaName: string;
  /** The IRI: `slot_uri`, else default prefix and name. */
  readonly uri: string;
  /** The CURIE of `uri`, else `uri` itself. */
  readonly curie: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  /** Other names of the slot (`aliases`), and the IRIs of slots elsewhere that mean the same (`exact_mappings`). */
  readonly aliases: readonly string[];
  readonly exactMappings: readonly string[];
  /** Whether the order of the values has a meaning (`list_elements_ordered`); without it, values are a set. */
  readonly orderedElements: boolean;
  readonly range: SlotRange;
  readonly multivalued: boolean;
  readonly required: boolean;
  readonly recommended: boolean;
  readonly identifier: boolean;
  readonly key: boolean;
  readonly designatesType: boolean;
  /** Whether the slot's value may stand for its object in a mapping (annotation `simple_dict_value`). */
  readonly isSimpleDictValue: boolean;
  readonly uniqueElements: boolean;
  /** The value that a missing slot gets (`ifabsent`), canonical. */
  readonly default: JsonValue | undefined;
  readonly constraints: Constraints;
};

/** A LinkML type with what it inherits by `typeof`. */
export type TypeDefinition = {
  readonly name: string;
  /** The datatype IRI. */
  readonly uri: string;
  /** The built-in type that it rests on; a row of the table in `types.ts`. */
  readonly base: string;
  /** Whether a value is an IRI in RDF, not a literal: the type's `uri` is written `xsd:anyURI` or `rdfs:Resource`. */
  readonly isIri: boolean;
  readonly description: string | undefined;
  readonly constraints: Constraints;
  /** The types of which a value must have one, if the type is a union. */
  readonly unionOf: readonly TypeDefinition[];
};

export type EnumDefinition = {
  readonly name: string;
  readonly uri: string;
  readonly description: string | undefined;
  readonly values: ReadonlyMap<string, PermissibleValue>;
  /** Whether other values may be accepted, since the schema does not list them all. */
  readonly open: boolean;
  /** The values with those of vocabularies; undefined if the enum has none, or none that is known. */
  readonly terms: ValueSet | undefined;
  /** How a term is written as a value. */
  readonly form: TermForm;
  /** Vocabularies that the schema names and of which there is no snapshot. */
  readonly missing: readonly string[];
  /** The names of the vocabularies whose terms are values. */
  readonly vocabularies: readonly string[];
};

export type PermissibleValue = {
  readonly text: string;
  /** The IRI that stands for the value in RDF; a plain literal does if there is none. */
  readonly meaning: string | undefined;
  readonly title: string | undefined;
  /** Other words for it: messages propose the value in their place, and tables read them. */
  readonly aliases: readonly string[];
  readonly description: string | undefined;
};
