/** A schema with slots of dates and times, and numbers that stand in their place in files. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSchema } from '../../src/core/schema/schema.ts';

const SCHEMA = `
id: https://example.org/s
name: s
prefixes: {linkml: https://w3id.org/linkml/, ex: https://example.org/}
default_prefix: ex
imports: [linkml:types]
types:
  moment: {typeof: datetime, uri: "ex:moment"}
classes:
  Thing:
    tree_root: true
    attributes:
      pid: {identifier: true, range: uriorcurie, required: true}
      at: {range: datetime}
      ats: {range: datetime, multivalued: true}
      day: {range: date}
      when: {range: date_or_datetime}
      own: {range: moment}
      either: {any_of: [{range: datetime}, {range: date}]}
      part: {range: Part, inlined: true}
      parts: {range: Part, multivalued: true, inlined_as_list: true}
  Part:
    attributes:
      at: {range: datetime}
      note: {}
`;

export const NUMBERS = [
  '2024',
  '45352',
  '86400',
  '-86400',
  '+5',
  '0',
  '45352.25',
  '1700000000',
  '1700000000000',
  '2024.',
];

/** Writes the schema into a folder, and opens it. */
export async function schemaIn(folder: string) {
  const file = join(folder, 'schema.yaml');
  writeFileSync(file, SCHEMA);
  return { file, schema: await openSchema(file) };
}
