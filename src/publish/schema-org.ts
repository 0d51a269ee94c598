/** A record in the words of schema.org, for search engines. */
import type { JsonObject } from '../json.ts';
import type { Schema } from '../schema/schema.ts';
import { type Published, titleOfCollection } from './landing-page.ts';
import { expressed } from './profiles.ts';

/** The description of a record. Objects and references are left out: search engines follow the links of the page. */
export function schemaOrgOf(
  schema: Schema,
  published: Published,
  record: JsonObject,
  title: string,
): JsonObject {
  const { className, publishing, modified, iri, url } = published;
  const { license, publisher } = publishing;
  const { class: type, values } = expressed(schema, 'schema_org', publishing, { className, record });
  const members = [...values].map(([name, all]) => [name, all.length === 1 ? all[0]! : [...all]]);
  return {
    '@context': 'https://schema.org',
    '@type': type,
    name: title,
    ...Object.fromEntries(members),
    '@id': iri,
    url,
    identifier: iri,
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
