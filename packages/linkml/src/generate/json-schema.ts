/** All classes of a schema as one JSON Schema: those of `jsonSchema` for single classes, as definitions. */
import type { JsonObject } from '../json.ts';
import type { LinkmlSchema } from '../linkml.ts';

/** The JSON Schema 2020-12 of a schema. Its instances are the objects of the tree root, if the schema has one. */
export function wholeJsonSchema(schema: LinkmlSchema): JsonObject {
  const at = '#/$defs/';
  const roots = [...schema.classes.values()].filter(({ treeRoot }) => treeRoot);
  const names = [...schema.classes.keys()];
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: schema.id,
    title: schema.title ?? schema.name,
    ...(schema.description !== undefined && { description: schema.description }),
    ...(roots.length === 1 && { $ref: at + roots[0]!.name }),
    $defs: Object.fromEntries(names.map((name) => [name, schema.jsonSchema(name, { definitions: at })])),
  };
}
