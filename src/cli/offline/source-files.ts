/** Finds the files that a command reads in files and folders, and the schema and class that folders name. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, relative, resolve, sep } from 'node:path';
import { isJsonObject } from '#linkml/json.ts';
import { readYaml } from '#linkml/yaml/read.ts';
import { PRIVATE_FOLDER } from '../../core/config/paths.ts';
import { DIRECTORY_CONFIG_FILE } from '../../core/formats/directory-config.ts';
import { type FileFormat, fileKind, suffixUnknown } from '../file-formats.ts';
import { UsageError } from '../outcome.ts';

export type SourceFile<Kind extends string = string> = { readonly path: string; readonly kind: Kind };

/** Files that exports and releases have beside the records. */
const NOT_RECORDS = new Set([
  'context.jsonld',
  'description.json',
  'manifest.json',
  'package.json',
  'package-lock.json',
]);

/**
 * All files of records at a path: the file itself, or those below a folder. Hidden files and folders are left out.
 *
 * @param exclude files that are something else, such as the schema
 * @throws UsageError for a file with another suffix, which is skipped in a folder
 */
export function* sourceFiles<Kind extends string>(
  path: string,
  formats: Readonly<Record<Kind, FileFormat>>,
  exclude: ReadonlySet<string> = new Set(),
): Generator<SourceFile<Kind>> {
  if (!statSync(path).isDirectory()) {
    const kind = fileKind(path, formats);
    if (!kind) throw new UsageError(suffixUnknown(path, formats));
    yield { path, kind };
    return;
  }
  const entries = readdirSync(path, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const inner = join(path, entry.name);
    if (entry.isDirectory()) yield* sourceFiles(inner, formats, exclude);
    const kind = entry.isFile() ? fileKind(inner, formats) : undefined;
    if (kind && !NOT_RECORDS.has(entry.name) && !exclude.has(resolve(inner))) yield { path: inner, kind };
  }
}

/** Whether a folder is the store directory of a service. */
export function isStore(path: string): boolean {
  return existsSync(join(path, PRIVATE_FOLDER));
}

const described = new Map<string, string | undefined>();

/** The schema that the `.dumpthings.yaml` of the nearest folder names. A relative path is relative to that folder, if it exists there. */
export function describedSchema(path: string): string | undefined {
  const start = resolve(path);
  let folder = statSync(start, { throwIfNoEntry: false })?.isDirectory() ? start : dirname(start);
  for (;;) {
    if (!described.has(folder)) described.set(folder, schemaIn(folder));
    const schema = described.get(folder);
    if (schema !== undefined) return schema;
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
}

function schemaIn(folder: string): string | undefined {
  const file = join(folder, DIRECTORY_CONFIG_FILE);
  if (!existsSync(file)) return undefined;
  const config = readYaml(readFileSync(file, 'utf8'));
  if (!isJsonObject(config) || typeof config.schema !== 'string') return undefined;
  const { schema } = config;
  if (/^[a-z]+:/i.test(schema)) return schema;
  const beside = resolve(folder, schema);
  return existsSync(beside) ? beside : schema;
}

/** The class that a folder on the path of a file is named for: of several the innermost. */
export function classInPath(path: string, isClass: (name: string) => boolean): string | undefined {
  return dirname(path).split(sep).findLast(isClass);
}

/** The path without links, to recognize two spellings of one file. */
export function realPath(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}

/** Folders whose files must be refused. */
const COUNTEREXAMPLES = new Set(['invalid', 'counter_examples']);

/**
 * Whether a file is a counterexample: in a folder of that name, which is the one that is validated or below it. A file
 * that is named itself is not: its problems are wanted.
 */
export function isCounterexample(path: string, file: string): boolean {
  const root = resolve(path);
  const inner = relative(root, dirname(resolve(file)));
  if (inner.startsWith('..')) return false;
  return [basename(root), ...inner.split(sep)].some((folder) => COUNTEREXAMPLES.has(folder));
}

/** The class that a file is named for: `Person-001.yaml`. */
export function classInName(file: string, isClass: (name: string) => boolean): string | undefined {
  const [name = ''] = basename(file, extname(file)).split('-');
  return isClass(name) ? name : undefined;
}
