/**
 * The merged and induced schema as data: what checks, JSON Schema and Turtle are driven by.
 *
 * "Induced" is LinkML's word for a slot as it holds in one class: `is_a`, `mixins`, `attributes` and `slot_usage`
 * applied (LinkML specification, part 4, derivation).
 */

/** A class with everything it inherits. */
export type ClassDefinition = {
  readonly name: string;
  readonly uri: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
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
  readonly isAny: boolean;
};

/** How objects of a class stand in a slot that has the class as its range. */
export type Inlining =
  /** A reference: the identifier of the object. */
  | 'reference'
  /** The object itself, or a list of objects. */
  | 'object'
  /** A mapping from identifier or key to object. */
  | 'dict'
  /** A mapping from identifier or key to the value of the only other slot, or to the object. */
  | 'simple-dict';

/** What a value may be. `alternatives` come from `any_of`, `exactly_one_of` and unions, in order. */
export type SlotRange =
  | { readonly kind: 'type'; readonly type: TypeDefinition }
  | { readonly kind: 'enum'; readonly enum: EnumDefinition }
  | { readonly kind: 'class'; readonly className: string; readonly inlining: Inlining }
  | { readonly kind: 'any' }
  | { readonly kind: 'union'; readonly alternatives: readonly SlotRange[] };

/** A slot as it holds in one class. */
export type SlotDefinition = {
  /** The name in data. */
  readonly name: string;
  readonly uri: string;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly range: SlotRange;
  readonly multivalued: boolean;
  readonly required: boolean;
  readonly identifier: boolean;
  readonly key: boolean;
  readonly designatesType: boolean;
};

/** A LinkML type with what it inherits by `typeof`. */
export type TypeDefinition = {
  readonly name: string;
  /** The datatype IRI. */
  readonly uri: string;
  /** The built-in type that it rests on; rows of the table in `types.ts`. */
  readonly base: string;
  /** Whether a value is an IRI in RDF, not a literal: the type's `uri` is written `xsd:anyURI` or `rdfs:Resource`. */
  readonly isIri: boolean;
  readonly description: string | undefined;
};

export type EnumDefinition = {
  readonly name: string;
  readonly description: string | undefined;
  readonly values: ReadonlyMap<string, PermissibleValue>;
};

export type PermissibleValue = {
  readonly text: string;
  /** The IRI that stands for the value in RDF; a plain literal does where there is none. */
  readonly meaning: string | undefined;
  readonly description: string | undefined;
};
