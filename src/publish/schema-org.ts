/** A record in the words of schema.org, for search engines: from the URIs and exact mappings of its class and slots. */
import type { JsonObject, JsonValue } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { type Published, titleOfCollection } from './landing-page.ts';

const SCHEMA_ORG = /^https?:\/\/schema\.org\/(\w+)$/;

/** The name that one of some IRIs has in schema.org. */
function nameOf(iris: readonly (string | undefined)[]): string | undefined {
  return iris.flatMap((iri) => SCHEMA_ORG.exec(iri ?? '')?.[1] ?? [])[0];
}

/** The description of a record. Objects and references are left out: search engines follow the links of the page. */
export function schemaOrgOf(
  schema: Schema,
  published: Published,
  record: JsonObject,
  title: string,
): JsonObject {
  const { className, publishing, modified, iri, url } = published;
  const definition = schema.classes.get(className);
  const expanded = (mappings: readonly string[]) => mappings.map((one) => schema.expand(one) ?? one);
  const ancestors = (definition?.ancestors ?? []).map((name) => schema.classes.get(name));
  const type = nameOf(ancestors.flatMap((one) => (one ? [one.uri, ...expanded(one.exactMappings)] : [])));
  const values: JsonObject = {};
  for (const slot of definition?.slots.values() ?? []) {
    const name = nameOf([slot.uri, ...expanded(slot.exactMappings)]);
    const value = record[slot.name];
    if (name === undefined || value === undefined || slot.range.kind === 'class' || !isPlain(value)) continue;
    values[name] ??= value;
  }
  const { license, publisher } = publishing;
  return {
    '@context': 'https://schema.org',
    '@type': type ?? 'Thing',
    ...values,
    '@id': iri,
    url,
    identifier: iri,
    name: title,
    // Only creative works have these; of anything else, the collection is the work.
    subjectOf: {
      '@type': 'Dataset',
      name: titleOfCollection(schema, published),
      ...(license !== undefined && { license }),
      ...(publisher !== undefined && { publisher: { '@type': 'Organization', name: publisher } }),
      ...(modified !== undefined && { dateModified: modified.slice(0, 10) }),
    },
  };
}

function isPlain(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isPlain);
  return value !== null && typeof value !== 'object';
}
