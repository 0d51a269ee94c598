/** Opens schemas that tests write as text. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSchema, type Schema } from '../../src/schema/schema.ts';

const HEAD = `
id: https://example.org/schemas/test
name: test
prefixes:
  linkml: https://w3id.org/linkml/
  xsd: http://www.w3.org/2001/XMLSchema#
  ex: https://example.org/ns/
  t: https://example.org/schemas/test/
default_prefix: t
default_range: string
imports: [linkml:types]
`;

/** Opens a schema of which only the elements are given, as YAML. */
export async function openElements(elements: string): Promise<Schema> {
  return await openFiles({ 'schema.yaml': HEAD + elements });
}

/** Opens the file `schema.yaml` of several. */
export async function openFiles(files: Record<string, string>): Promise<Schema> {
  const folder = mkdtempSync(join(tmpdir(), 'accession-schema-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return await openSchema(join(folder, 'schema.yaml'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The warnings of a schema, without the one that it has no class for records: small test schemas have none. */
export function warningsOf({ warnings }: Schema): string[] {
  return warnings.filter(({ type }) => type !== 'no_records').map(({ msg }) => msg);
}
