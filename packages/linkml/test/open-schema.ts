/** Opens schemas that tests write as text, or have as a file, with the identifiers that a service accepts. */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { type LinkmlSchema, openLinkml } from '../src/linkml.ts';

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

/** The text of a schema of which only the elements are given, as YAML. */
export function schemaOf(elements: string): string {
  return HEAD + elements;
}

export async function openElements(elements: string): Promise<LinkmlSchema> {
  return await openFiles({ 'schema.yaml': schemaOf(elements) });
}

/** Opens the file `schema.yaml` of several. */
export async function openFiles(files: Readonly<Record<string, string>>): Promise<LinkmlSchema> {
  const url = new URL('file:///schema.yaml');
  const load = async ({ pathname }: URL) => files[pathname.slice(1)];
  return await openLinkml(files['schema.yaml'] ?? '', { url, load, identifiers: 'resolve' });
}

/** Opens a file that imports none but LinkML's own. */
export async function openFile(path: string): Promise<LinkmlSchema> {
  return await openLinkml(readFileSync(path, 'utf8'), { url: pathToFileURL(path), identifiers: 'resolve' });
}

/** The classes with an identifier that have objects. */
export function identifiedClasses({ classes }: LinkmlSchema): string[] {
  return [...classes.values()]
    .filter(({ identifier, abstract, mixin }) => identifier && !abstract && !mixin)
    .map(({ name }) => name);
}

export function warningsOf({ warnings }: LinkmlSchema): string[] {
  return warnings.map(({ msg }) => msg);
}
