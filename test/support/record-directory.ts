/** Record directories, read as another program reads them. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type JsonObject, parseJson } from '#linkml/json.ts';
import { writeYaml } from '#linkml/yaml/write.ts';
import { removeSchemaType } from '../../src/core/schema-type.ts';
import type { RecordStore } from '../../src/core/storage/store.ts';

/** The record files of a directory by their paths. */
export function filesOf(directory: string): Map<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.yaml'))
    .map(({ parentPath, name }) => relative(directory, join(parentPath, name)))
    .filter(
      (path) =>
        !path
          .split('/')
          .slice(0, -1)
          .some((folder) => folder.startsWith('.')) && !path.startsWith('.'),
    );
  return new Map(paths.sort().map((path) => [path, readFileSync(join(directory, path), 'utf8')]));
}

/** Requires that there is one file for each record, with its text, in the folder of its class, and nothing half done. */
export async function assertFiles(store: RecordStore, directory: string, typed: boolean): Promise<void> {
  const missing = new Set<string>();
  for await (const { className, json } of store.scan({}))
    missing.add(`${className}\n${writeYaml(parseJson(typed ? json : removeSchemaType(json)) as JsonObject)}`);
  const others: string[] = [];
  for (const [path, text] of filesOf(directory))
    if (!missing.delete(`${folderOf(path)}\n${text}`)) others.push(`${path}\n${text}`);
  assert.deepEqual({ missing: [...missing], others }, { missing: [], others: [] });
  assert.deepEqual(readdirSync(join(directory, '.accession/staging')), []);
}

/** The folder that a path begins with; empty for a file beside the folders. */
const folderOf = (path: string) => path.slice(0, Math.max(0, path.indexOf('/')));
