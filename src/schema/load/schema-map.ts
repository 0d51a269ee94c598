/** Schemas without a network: URL prefixes whose files are found in folders (`--schema-map`). */
import { statSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ServiceError } from '../../errors.ts';

/** URL prefix → the URL of a folder, both with a slash at the end; the longest prefix is used. */
export type SchemaMap = ReadonlyMap<string, URL>;

/**
 * Reads entries such as `https://example.org/s/=folder`; of two with the same prefix, the later one. A folder is a path or a
 * `file:` URL.
 *
 * @throws ServiceError `config_invalid` for an entry without `=`, a prefix that is not a URL, or a missing folder
 */
export function parseSchemaMap(entries: readonly string[]): SchemaMap {
  const pairs = entries.map((entry) => {
    const at = entry.lastIndexOf('=');
    if (at <= 0) throw mapInvalid(`expected <URL prefix>=<folder>, found ${JSON.stringify(entry)}`);
    return [prefixOf(entry.slice(0, at)), folderOf(entry.slice(at + 1))] as const;
  });
  return new Map(pairs.sort(([a], [b]) => b.length - a.length));
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

function folderOf(text: string): URL {
  const path = /^file:/i.test(text) && URL.canParse(text) ? fileURLToPath(text) : resolve(text);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw mapInvalid(`${path} is not a directory`);
  return pathToFileURL(path.endsWith(sep) ? path : path + sep);
}

function mapInvalid(reason: string): ServiceError {
  return new ServiceError('config_invalid', `--schema-map: ${reason}.`);
}
