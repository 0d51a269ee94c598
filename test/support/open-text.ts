/** Opens schemas of the service that tests write as text. */

import { schemaOf } from '#linkml-test/open-schema.ts';
import { openSchemaText, type Schema } from '../../src/core/schema/schema.ts';

/** Opens a schema of which only the elements are given, as YAML. */
export async function openElements(elements: string): Promise<Schema> {
  return await openFiles({ 'schema.yaml': schemaOf(elements) });
}

/** Opens the file `schema.yaml` of several. */
export async function openFiles(files: Readonly<Record<string, string>>): Promise<Schema> {
  const sources = new Map(Object.entries(files).map(([name, text]) => [`file:///${name}`, text]));
  return await openSchemaText(files['schema.yaml'] ?? '', 'file:///schema.yaml', { sources });
}
