/**
 * A schema as SHACL shapes: what of its classes can be said about the Turtle of records. The IRIs and literals are those
 * of `write/`, which writes the values here as well.
 *
 * Shapes accept every record that the check accepts. They refuse less than it does: `docs/shacl.md` lists what is left
 * out, and the warnings name the slots.
 */

import { grouped } from '../../grouped.ts';
import type { JsonValue } from '../../json.ts';
import type {
  ClassDefinition,
  Constraints,
  LinkmlSchema,
  SlotDefinition,
  SlotExpression,
  SlotRange,
  TypeDefinition,
} from '../../linkml.ts';
import { classesInRange } from '../../linkml.ts';
import {
  RDF_JSON,
  RDF_LANG_STRING,
  RDF_TYPE,
  XSD_ANY_URI,
  XSD_BOOLEAN,
  XSD_DOUBLE,
  XSD_INTEGER,
  XSD_STRING,
} from '../namespaces.ts';
import { fixedTerm, prefixLines, prefixTable, quote } from '../terms.ts';
import { type TurtleSchema, turtleSchema } from '../turtle-schema.ts';
import { scalarWriter } from '../write/write-values.ts';
import { type Properties, type ShapeTerm, statement } from './shape-text.ts';

const SH = 'http://www.w3.org/ns/shacl#';
const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';

export type ShaclOptions = {
  /**
   * Whether a referenced object must be in the graph, with a class that the slot allows: for the graph of a whole
   * collection, and for editors that offer such objects. Default `false`: a reference is any IRI.
   */
  readonly references?: boolean;
};

export type GeneratedShapes = {
  readonly turtle: string;
  /** Demands of the schema that the shapes do not express. */
  readonly warnings: readonly string[];
};

type Draft = {
  readonly schema: LinkmlSchema;
  readonly known: TurtleSchema;
  readonly references: boolean;
  readonly warnings: Set<string>;
  readonly used: Set<string>;
  /** The IRI of the shape of a class. */
  shapeOf(className: string): string;
  iri(iri: string): string;
  /** A term of SHACL. */
  sh(name: string): string;
};

/** The node shapes of all classes, as Turtle. */
export function shaclShapes(
  schema: LinkmlSchema,
  { references = false }: ShaclOptions = {},
): GeneratedShapes {
  const prefixes = prefixTable(new Map([['sh', SH], ['rdfs', RDFS], ...schema.prefixes]));
  const used = new Set<string>();
  const iri = (one: string) => fixedTerm(one, prefixes, used);
  const byUri = grouped(shapedClasses(schema), ({ uri }) => uri);
  const draft: Draft = {
    schema,
    known: turtleSchema(schema),
    references,
    warnings: new Set(),
    used,
    shapeOf: (name) => {
      const { uri, nativeUri } = schema.classes.get(name)!;
      return iri(byUri.get(uri)?.length === 1 ? uri : nativeUri);
    },
    iri,
    sh: (name) => iri(SH + name),
  };
  const statements = [...byUri].flatMap(([uri, classes]) => {
    const target: Properties = [[draft.sh('targetClass'), iri(uri)]];
    const [only, ...others] = classes;
    if (others.length === 0) return [nodeShape(only!, target, draft)];
    // Objects of classes that share a URI are of one of them.
    const choice = { list: classes.map(({ name }) => draft.shapeOf(name)) };
    const shared: Properties = [['a', draft.sh('NodeShape')], ...target, [draft.sh('or'), choice]];
    return [...classes.map((one) => nodeShape(one, [], draft)), statement('[]', shared)];
  });
  return {
    turtle: `${prefixLines(prefixes, used)}\n${statements.join('\n')}`,
    warnings: [...draft.warnings],
  };
}

/** The classes that have objects; of classes with one URI, abstract ones only if all are. */
function shapedClasses({ classes }: LinkmlSchema): ClassDefinition[] {
  const all = [...classes.values()].filter(({ isAny }) => !isAny);
  const concrete = new Set(all.filter(({ abstract }) => !abstract).map(({ uri }) => uri));
  return all.filter(({ abstract, uri }) => !abstract || !concrete.has(uri));
}

function nodeShape(definition: ClassDefinition, target: Properties, draft: Draft): string {
  const { sh, iri } = draft;
  const { name, title, description, slots, extraSlots, rules, expression, uniqueKeys } = definition;
  if (
    rules.length > 0 ||
    [expression.anyOf, expression.allOf, expression.exactlyOneOf].some((one) => one.length > 0)
  )
    draft.warnings.add(`${name}: rules between slots are left out.`);
  if (uniqueKeys.length > 0) draft.warnings.add(`${name}: unique keys are left out.`);
  const ranks = new Map([...slots.values()].map((slot, rank) => [slot, rank]));
  const byUri = grouped(
    [...slots.values()].filter(({ identifier, uri }) => !identifier && uri !== RDF_TYPE),
    ({ uri }) => uri,
  );
  const properties = [...byUri].map(([uri, group]): readonly [string, ShapeTerm] => [
    sh('property'),
    [
      [sh('path'), iri(uri)],
      ...labels(group[0]!, ranks.get(group[0]!)!, draft),
      ...counts(group, draft),
      ...either(
        group.map((slot) => slotValue(definition, slot, draft)),
        draft,
      ),
    ],
  ]);
  return statement(draft.shapeOf(name), [
    ['a', sh('NodeShape')],
    ...target,
    [iri(`${RDFS}label`), quote(title ?? name)],
    ...(description ? [[iri(`${RDFS}comment`), quote(description)] as const] : []),
    ...(extraSlots.allowed
      ? []
      : [[sh('closed'), 'true'] as const, [sh('ignoredProperties'), { list: [iri(RDF_TYPE)] }] as const]),
    ...properties,
  ]);
}

/** Writes the annotations for forms. */
function labels({ name, title, description }: SlotDefinition, rank: number, { sh }: Draft): Properties {
  return [
    [sh('name'), quote(title ?? name)],
    ...(description ? [[sh('description'), quote(description)] as const] : []),
    [sh('order'), String(rank)],
  ];
}

/** How many values a predicate has, for the slots of a class that have it as their URI. */
function counts(slots: readonly SlotDefinition[], draft: Draft): Properties {
  const least = Math.max(...slots.map((slot) => leastCount(slot, draft.schema)));
  const most = slots.reduce((sum, slot) => sum + mostCount(slot), 0);
  return [
    ...(least > 0 ? [[draft.sh('minCount'), String(least)] as const] : []),
    ...(most < Number.POSITIVE_INFINITY ? [[draft.sh('maxCount'), String(most)] as const] : []),
  ];
}

function leastCount(slot: SlotDefinition, schema: LinkmlSchema): number {
  const { required, key, designatesType, multivalued, constraints, uniqueElements, range } = slot;
  const isDemanded = required || key || designatesType || constraints.valuePresence === 'PRESENT';
  // An object without values is not written.
  if (!isDemanded || (!multivalued && canBeEmpty(range, schema))) return 0;
  const least = Math.max(1, constraints.minimumCardinality ?? 0);
  // Equal values are one triple; objects that are nodes of their own are several.
  return uniqueElements || isInlined(range) ? least : Math.min(least, 1);
}

function isInlined(range: SlotRange): boolean {
  return range.kind === 'class' && range.inlining !== 'reference';
}

function canBeEmpty(range: SlotRange, schema: LinkmlSchema): boolean {
  if (range.kind === 'union') return range.alternatives.some((one) => canBeEmpty(one, schema));
  if (range.kind !== 'class' || range.inlining === 'reference') return false;
  return classesInRange(schema, range.className).every(
    ({ slots, identifier }) =>
      !identifier &&
      [...slots.values()].every(({ required, designatesType }) => !required && !designatesType),
  );
}

function mostCount({ multivalued, constraints }: SlotDefinition): number {
  if (constraints.valuePresence === 'ABSENT') return 0;
  return multivalued ? (constraints.maximumCardinality ?? Number.POSITIVE_INFINITY) : 1;
}

/** Writes the constraints on each value of a slot. */
function slotValue(owner: ClassDefinition, slot: SlotDefinition, draft: Draft): Properties {
  const { range, constraints, designatesType, multivalued } = slot;
  if (designatesType) {
    const own = scalarWriter(range, draft.known)(owner.designation!, draft.used);
    return multivalued ? [[draft.sh('hasValue'), own]] : [[draft.sh('in'), { list: [own] }]];
  }
  const { hasMember, allMembers, noneOf, rangeExpression, equalsExpression } = constraints;
  if (noneOf || rangeExpression || equalsExpression || hasMember)
    draft.warnings.add(
      `${owner.name}.${slot.name}: what the schema demands beyond the single value is left out.`,
    );
  const label = `${owner.name}.${slot.name}`;
  return onceEach(
    [
      ...rangeOf(range, label, draft),
      ...constraintsOf(constraints, range, label, draft),
      ...(allMembers ? constraintsOf(allMembers, range, label, draft) : []),
    ],
    draft,
  );
}

/** A shape has one pattern, one list of values and so on; what comes from the slot besides its type is a shape of its own. */
function onceEach(properties: Properties, { sh }: Draft): Properties {
  const seen = new Set<string>();
  return properties.map((row) => {
    const isFirst = !seen.has(row[0]) || row[0] === sh('or');
    seen.add(row[0]);
    return isFirst ? row : [sh('node'), [row]];
  });
}

/** One of several shapes, each without the conditions that all have; none if one of them accepts everything. */
function either(shapes: readonly Properties[], { sh }: Draft): Properties {
  if (shapes.length === 1) return shapes[0]!;
  if (shapes.length === 0 || shapes.some((one) => one.length === 0)) return [];
  return [[sh('or'), { list: shapes }]];
}

function rangeOf(range: SlotRange, label: string, draft: Draft): Properties {
  const { sh, iri, schema } = draft;
  switch (range.kind) {
    case 'any':
      return [];
    case 'array':
      return [[sh('datatype'), iri(RDF_JSON)]];
    case 'type':
      return typeOf(range.type, label, draft);
    case 'enum': {
      if (range.enum.open) return [];
      const write = scalarWriter(range, draft.known);
      return [[sh('in'), { list: [...range.enum.values.keys()].map((text) => write(text, draft.used)) }]];
    }
    case 'union': {
      const areReferences = range.alternatives.every(
        (one) => one.kind === 'class' && one.inlining === 'reference',
      );
      if (areReferences) return [[sh('nodeKind'), sh('IRI')]];
      return oneDatatypeOf(range.alternatives.flatMap(nativeDatatypes), draft);
    }
    case 'class': {
      if (range.inlining !== 'reference') return objectsOf(range.className, draft);
      const classes = draft.references ? schema.descendants(range.className) : [];
      const uris = new Set(classes.map((name) => schema.classes.get(name)!.uri));
      return [
        [sh('nodeKind'), sh('IRI')],
        ...either(
          [...uris].map((uri) => [[sh('class'), iri(uri)]]),
          draft,
        ),
      ];
    }
  }
}

/** The nodes of inlined objects: typed ones are found by their class, others are held against the shape of it. */
function objectsOf(className: string, draft: Draft): Properties {
  const { sh, iri, schema, known } = draft;
  const allowed = classesInRange(schema, className);
  const classes = allowed.length > 0 ? allowed : [schema.classes.get(className)!];
  const identified = classes.filter(({ identifier }) => identifier).length;
  const kind = identified === 0 ? 'BlankNode' : identified === classes.length ? 'IRI' : 'BlankNodeOrIRI';
  const shapes = classes.map(({ name, uri }): readonly [string, Properties] => {
    const { designator, isDesignatedByType } = known.classNamed(name);
    const isTyped = !designator || isDesignatedByType;
    return isTyped ? [uri, [[sh('class'), iri(uri)]]] : [name, [[sh('node'), draft.shapeOf(name)]]];
  });
  return [[sh('nodeKind'), sh(kind)], ...either([...new Map(shapes).values()], draft)];
}

function typeOf(type: TypeDefinition, label: string, draft: Draft): Properties {
  const { sh, iri } = draft;
  const literal: Properties = [[sh('datatype'), iri(XSD_ANY_URI)]];
  // A string that is not an IRI is a literal.
  if (type.isIri) return either([[[sh('nodeKind'), sh('IRI')]], literal], draft);
  if (type.unionOf.length > 0) {
    const natives = type.unionOf.flatMap((member) => nativeDatatypes({ kind: 'type', type: member }));
    return oneDatatypeOf([...natives.filter((one) => one !== XSD_STRING), datatypeOf(type)], draft);
  }
  return [
    [sh('datatype'), iri(datatypeOf(type))],
    ...constraintsOf(type.constraints, { kind: 'type', type }, label, draft, true),
  ];
}

function datatypeOf({ uri }: TypeDefinition): string {
  return uri === RDF_LANG_STRING ? XSD_STRING : uri;
}

function oneDatatypeOf(datatypes: readonly string[], draft: Draft): Properties {
  const { sh, iri } = draft;
  // An alternative of any range has no datatype of its own.
  if (datatypes.includes('')) return [];
  return either(
    [...new Set(datatypes)].map((one) => [[sh('datatype'), iri(one)]]),
    draft,
  );
}

/** The datatypes of values that are written without knowing their type (`nativeLiteral`). */
function nativeDatatypes(range: SlotRange): readonly string[] {
  switch (range.kind) {
    case 'any':
      return [''];
    case 'array':
      return [RDF_JSON];
    case 'enum':
      return [XSD_STRING];
    case 'class':
      return [range.inlining === 'reference' ? XSD_STRING : RDF_JSON];
    case 'union':
      return range.alternatives.flatMap(nativeDatatypes);
    case 'type': {
      const { unionOf, base } = range.type;
      if (unionOf.length > 0) return unionOf.flatMap((type) => nativeDatatypes({ kind: 'type', type }));
      return NATIVE[base] ?? [XSD_STRING];
    }
  }
}

const NATIVE: Readonly<Record<string, readonly string[]>> = {
  integer: [XSD_INTEGER],
  float: [XSD_DOUBLE, XSD_INTEGER],
  double: [XSD_DOUBLE, XSD_INTEGER],
  boolean: [XSD_BOOLEAN],
};

/** Types whose bounds mean the same in SHACL, which compares neither times with and without zones nor strings. */
const BOUNDED = new Set(['integer', 'float', 'double', 'decimal', 'date']);

/** Syntax of Python's regular expressions that other engines do not share. */
const PYTHON_ONLY = /\(\?[P#aiLmsux(]|\\[AZ]/;

/** @param ofType whether the constraints are those of a type, which never apply to empty strings */
function constraintsOf(
  constraints: Constraints | SlotExpression,
  range: SlotRange,
  label: string,
  draft: Draft,
  ofType = false,
): Properties {
  // The terms for values of unions depend on the value alone, so the ranges of branches do not show.
  if (range.kind !== 'type' && range.kind !== 'enum') return [];
  const { sh, used, known } = draft;
  const write = scalarWriter(range, known);
  const term = (value: JsonValue) => write(value, used);
  const rows: (readonly [string, ...ShapeTerm[]])[] = [];
  const base = range.kind === 'type' && range.type.unionOf.length === 0 ? range.type.base : undefined;
  const { pattern, minimumValue, maximumValue, equalsString, equalsStringIn, equalsNumber, anyOf, allOf } =
    constraints;
  const isText = base !== undefined && !NATIVE[base] && range.kind === 'type' && !range.type.isIri;
  if (pattern !== undefined && isText) {
    if (PYTHON_ONLY.test(pattern)) draft.warnings.add(`${label}: the pattern ${pattern} is left out.`);
    else rows.push([sh('pattern'), quote(ofType ? `^$|${pattern}` : pattern)]);
  }
  const bounds = [
    ['minInclusive', minimumValue ?? equalsNumber],
    ['maxInclusive', maximumValue ?? equalsNumber],
  ] as const;
  for (const [name, bound] of bounds)
    if (bound !== undefined && base !== undefined && BOUNDED.has(base)) rows.push([sh(name), term(bound)]);
  const texts = equalsString === undefined ? equalsStringIn : [equalsString];
  if (texts && !ofType) rows.push([sh('in'), { list: texts.map(term) }]);
  for (const one of allOf ?? []) rows.push(...constraintsOf(one, range, label, draft));
  if (anyOf?.every((one) => one.range === undefined))
    rows.push(
      ...either(
        anyOf.map((one) => constraintsOf(one, range, label, draft)),
        draft,
      ),
    );
  return rows;
}
