/** Schemas without a network: URL prefixes whose files are found in folders (`--schema-map`, `schema_map`). */
import { statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ServiceError } from '../errors.ts';

/** URL prefix → the URL of a folder, both with a slash at the end; the longest prefix is used. */
export type SchemaMap = ReadonlyMap<string, URL>;

/**
 * Reads entries such as `https://example.org/s/=folder`. A folder is a path or a `file:` URL.
 *
 * @throws ServiceError `config_invalid` for an entry without `=`, a prefix that is not a URL, or a missing folder
 */
export function parseSchemaMap(entries: readonly string[]): SchemaMap {
  const pairs = entries.map((entry): [string, string] => {
    const at = entry.lastIndexOf('=');
    if (at <= 0) throw mapInvalid(`expected <URL prefix>=<folder>, found ${JSON.stringify(entry)}`);
    return [entry.slice(0, at), entry.slice(at + 1)];
  });
  return schemaMap(pairs);
}

/**
 * The map of pairs of a URL prefix and a folder; of two with the same prefix, the later one.
 *
 * @param base the directory that relative folders start from
 * @param given a map that comes first: what it has is not looked at here
 * @throws ServiceError `config_invalid` for a prefix that is not a URL, or a missing folder
 */
export function schemaMap(
  pairs: readonly (readonly [string, string])[],
  base = '.',
  given: SchemaMap = new Map(),
): SchemaMap {
  const added = pairs
    .map(([prefix, folder]) => [prefixOf(prefix), folder] as const)
    .filter(([prefix]) => !given.has(prefix))
    .map(([prefix, folder]) => [prefix, folderOf(folder, base)] as const);
  return new Map([...added, ...given].sort(([a], [b]) => b.length - a.length));
}

/** Where the map says that a URL is found; undefined if no prefix matches. */
export function mappedUrl(url: URL, map: SchemaMap): URL | undefined {
  for (const [prefix, folder] of map) {
    if (!url.href.startsWith(prefix)) continue;
    const target = new URL(url.href.slice(prefix.length).replace(/^\/+/, ''), folder);
    // `..` in the address must not lead out of the folder.
    return target.href.startsWith(folder.href) ? target : undefined;
  }
  return undefined;
}

function prefixOf(text: string): string {
  if (!URL.canParse(text) || !/^(?:https?|file):/i.test(text))
    throw mapInvalid(`expected a URL (http:, https: or file:) as prefix, found ${JSON.stringify(text)}`);
  const { href } = new URL(text);
  return href.endsWith('/') ? href : `${href}/`;
}

function folderOf(text: string, base: string): URL {
  const path = /^file:/i.test(text) && URL.canParse(text) ? fileURLToPath(text) : resolve(base, text);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw mapInvalid(`${path} is not a directory`);
  return pathToFileURL(path.endsWith(sep) ? path : path + sep);
}

function mapInvalid(reason: string): ServiceError {
  return new ServiceError('config_invalid', `schema_map: ${reason}.`);
}
