/** The vocabularies of a collection, and their terms: for fields in which people choose terms. */

import { termAsValue } from '#linkml/check/terms.ts';
import { compileValueSet, type ValueSet } from '#linkml/terms/value-sets.ts';
import { idIn, writtenId } from '#linkml/terms/vocabulary.ts';
import { HIERARCHY, searchTerms } from '#linkml/vocabularies/search.ts';
import { Snapshot } from '#linkml/vocabularies/snapshot.ts';
import type { Collection } from '../../core/collections/collection.ts';
import { missingTerms } from '../../core/collections/terms.ts';
import { ServiceError } from '../../core/errors.ts';
import { type Endpoint, inPath, row } from '../../core/http/endpoint.ts';
import { jsonAnswer } from '../../core/http/endpoints/schemas.ts';
import { enter, needing } from '../../core/http/enter.ts';
import type { ValuesOf } from '../../core/http/parameter.ts';
import { integer, parameterRefused, textParameter } from '../../core/http/query.ts';
import { replying } from '../../core/http/replying.ts';
import type { Schema, Term } from '../../core/schema/schema.ts';
import { countSchema, flagSchema, listOf, objectOf, textOrNull, textSchema } from '../../core/shapes.ts';
import type {} from './codes.ts';

/** The collection, for callers who may read or store records. @throws ServiceError `permission_missing` */
const enterToChoose = needing('choose', async (call): Promise<Collection> => {
  const { collection, grant } = await enter(call);
  const { readCurated, readZone, writeZone } = grant.permissions;
  if (readCurated || readZone || writeZone) return collection;
  const message = `The token permits neither reading nor storing records in the collection '${collection.name}'.`;
  throw new ServiceError('permission_missing', message);
});

/** The vocabularies that a schema was opened with. */
function snapshotsOf({ terms }: Schema): ReadonlyMap<string, Snapshot> {
  return new Map(
    Object.entries(terms).flatMap(([name, one]) => (one instanceof Snapshot ? [[name, one] as const] : [])),
  );
}

function listVocabularies(collection: Collection) {
  const missing = missingTerms(collection);
  const found = [...snapshotsOf(collection.schema)].map(([name, { about, size }]) => {
    const { title = null, version = null, date = null, license = null, taken } = about;
    return { name, terms: size, title, version, date, license, taken };
  });
  const none = { terms: 0, title: null, version: null, date: null, license: null, taken: null };
  return [...found, ...missing.map((name) => ({ name, ...none }))];
}

const termParameters = {
  q: textParameter(
    'Words of a label or synonym, the last one may be unfinished; or the CURIE or IRI of a term.',
  ),
  under: textParameter(
    'The CURIE or IRI of a term: only terms below it. Without `q`, the terms right below it.',
  ),
  enum: textParameter('The name of an enum: only terms that are its values, written as it demands.'),
  limit: integer('The number of terms.', 20, 1, 100),
};

/** Terms of a vocabulary that match, best first, or one by its id. */
function findTerms(
  { schema, name: collection }: Collection,
  name: string,
  { q = '', under, enum: named, limit }: ValuesOf<typeof termParameters>,
) {
  const snapshot = snapshotsOf(schema).get(name);
  if (!snapshot) {
    const message = `The collection '${collection}' has no snapshot of a vocabulary '${name}'.`;
    throw new ServiceError('vocabulary_unknown', message);
  }
  const choice = named === undefined ? undefined : valuesOf(schema, named, snapshot);
  const found = searchTerms(snapshot, {
    query: idIn(snapshot, q.trim(), schema) ?? q,
    under: under === undefined ? choice?.under : (idIn(snapshot, under, schema) ?? under),
    limit,
    isWanted: choice?.isWanted,
  });
  const items = found.map((term) => ({
    ...described(term, snapshot, schema),
    ...(choice && { value: choice.written(term) }),
  }));
  return { items };
}

/**
 * The terms of a vocabulary that are values of an enum.
 *
 * @throws ServiceError `parameter_invalid` for an enum without terms
 */
function valuesOf(schema: Schema, name: string, snapshot: Snapshot) {
  const definition = schema.enums.get(name);
  const set = definition?.terms;
  if (!set) throw parameterRefused('enum', name, 'an enum whose values are terms');
  const { expand, expandReference, compact, prefixes: map } = schema;
  const prefixes = { map, expand, expandReference, compact };
  const test = compileValueSet(set, definition.form, prefixes);
  const written = ({ id }: Term) => termAsValue(id, [snapshot], definition.form, prefixes);
  return {
    written,
    isWanted: (term: Term) => test(written(term)).kind === 'member',
    under: topOf(set, snapshot),
  };
}

/** The term below which all values are, if there is one: in a large vocabulary, only those below it are ranked. */
function topOf(
  { queries: [query], queries, parts, listed }: ValueSet,
  snapshot: Snapshot,
): string | undefined {
  const isOne = queries.length === 1 && parts.length === 0 && listed.size === 0;
  if (!isOne || query?.kind !== 'reachable' || query.up || query.vocabulary !== snapshot) return undefined;
  const isHierarchy = [...query.relations].every((relation) => HIERARCHY.has(relation));
  return isHierarchy && !query.self && query.nodes?.length === 1 ? query.nodes[0] : undefined;
}

function described(term: Term, snapshot: Snapshot, schema: Schema) {
  const { id, label = null, synonyms, definition = null, obsolete, replacedBy } = term;
  const named = (other: string) => ({
    id: other,
    value: writtenId(other, schema),
    label: snapshot.term(other)?.label ?? null,
  });
  return {
    id,
    value: writtenId(id, schema),
    label,
    synonyms,
    definition,
    obsolete,
    replaced_by: replacedBy.map(named),
    parents: snapshot.parents(id).map(({ relation, id: parent }) => ({ relation, ...named(parent) })),
    narrower: snapshot.hasChildren(id, HIERARCHY),
  };
}

const termReference = {
  id: { ...textSchema, description: 'The IRI.' },
  value: {
    ...textSchema,
    description: 'As records write it: the CURIE by the prefixes of the schema, else the IRI.',
  },
  label: textOrNull,
} as const;

export const termSchema = objectOf({
  ...termReference,
  synonyms: listOf(textSchema),
  definition: textOrNull,
  obsolete: { ...flagSchema, description: 'Obsolete terms are only found by their ids.' },
  replaced_by: listOf(objectOf(termReference)),
  parents: {
    description: 'The edges that lead up from the term.',
    ...listOf(objectOf({ relation: textSchema, ...termReference })),
  },
  narrower: { ...flagSchema, description: 'Whether there are terms below it.' },
});

export const vocabularySchema = objectOf({
  name: textSchema,
  terms: { ...countSchema, description: '0 until there is a snapshot: then terms are not enforced.' },
  title: textOrNull,
  version: textOrNull,
  date: textOrNull,
  license: textOrNull,
  taken: { ...textOrNull, description: 'When the snapshot was made.' },
});

const shared = {
  tag: 'Vocabularies',
  description: 'For all who may read or store records.',
} as const;

export const termEndpoints: readonly Endpoint[] = [
  row('GET', '/-/{collection}/terms', 'vocabularies', {
    ...shared,
    summary: 'List the vocabularies of a collection',
    answers: { 200: jsonAnswer('The vocabularies.', listOf(vocabularySchema)) },
    ...replying(enterToChoose, {}, listVocabularies),
  }),
  row('GET', '/-/{collection}/terms/{vocabulary}', 'terms', {
    ...shared,
    summary: 'Find terms of a vocabulary as a person types, or one by its id',
    answers: { 200: jsonAnswer('The terms, the best first.', objectOf({ items: listOf(termSchema) })) },
    ...replying(enterToChoose, termParameters, (collection, query, call) =>
      findTerms(collection, inPath(call, 'vocabulary'), query),
    ),
  }),
];
