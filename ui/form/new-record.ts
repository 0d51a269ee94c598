/** Begins a new record with a name, and an identifier like those of its neighbors. */
import { fold } from '#linkml/folding.ts';
import { away } from '../shared/connection.ts';
import type { JsonObject } from '../shared/json.ts';
import { readPage } from '../shared/records.ts';
import { type ClassDescription, titleSlot } from '../shared/schema.ts';

/** A record with a name and a suggested identifier. */
export async function newRecord(
  collection: string,
  description: ClassDescription,
  name = '',
): Promise<JsonObject> {
  const prefix = await identifierPrefix(collection, description);
  const slot = titleSlot(description);
  const named: JsonObject = slot && name !== '' ? { [slot.name]: name } : {};
  return { ...named, ...(prefix === '' ? {} : { pid: suggestedPid(prefix, description, name) }) };
}

/** `labid:person-grace-hopper` */
export function suggestedPid(prefix: string, description: ClassDescription, name: string): string {
  const slug = fold(name)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const unique = slug === '' ? Math.random().toString(36).slice(2, 8) : slug;
  return `${prefix}${description.class.toLowerCase()}-${unique}`;
}

/**
 * The prefix, with its colon, of the identifiers of the class, else of the collection, else the one that the schema has for them. Empty
 * if there is none, or a choice of several.
 */
export async function identifierPrefix(collection: string, description: ClassDescription): Promise<string> {
  for (const className of [description.class, '']) {
    const page = await readPage(collection, className, { page: 1, size: 1 }).catch(() => undefined);
    const pid = page?.items[0]?.pid;
    const prefix = typeof pid === 'string' ? /^[\w.-]+:(?!\/\/)/.exec(pid)?.[0] : undefined;
    if (prefix !== undefined) return prefix;
  }
  // Without the service, it is not known how others begin.
  if (away.peek() !== undefined) return '';
  const [prefix, another] = description.identifier_prefixes;
  return prefix === undefined || another !== undefined ? '' : `${prefix}:`;
}

/** An identifier as an example for records that get none. */
export function exampleIdentifier({ class: name, identifier_prefixes: [prefix] }: ClassDescription): string {
  const local = `${name.toLowerCase()}-1`;
  return prefix === undefined ? `https://example.org/${local}` : `${prefix}:${local}`;
}
