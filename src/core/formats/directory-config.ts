/** The file `.dumpthings.yaml`, in which a record directory says what it was made for. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isJsonObject } from '#linkml/json.ts';
import { readYaml } from '#linkml/yaml/read.ts';
import type { MappingMethod } from '../config/backends.ts';

export const DIRECTORY_CONFIG_FILE = '.dumpthings.yaml';

/** Writes the file with the bytes that the peer writes, unless it says the same already. */
export function writeDirectoryConfig(directory: string, mapping: MappingMethod, schema: string): void {
  const config = readDirectoryConfig(directory);
  if (typeof config === 'object' && config.schema === schema && config.idfx === mapping) return;
  replaceFile(
    join(directory, DIRECTORY_CONFIG_FILE),
    `# RecordDir Config\ntype: records\nversion: 1\nschema: ${schema}\nformat: yaml\nidfx: ${mapping}\n`,
  );
}

/** Why a directory cannot be used with this mapping method and schema; undefined if it can. */
export function recordDirConflict(
  directory: string,
  mapping: MappingMethod,
  schema: string | undefined,
): string | undefined {
  const config = readDirectoryConfig(directory);
  if (typeof config === 'string') return config;
  if (config?.idfx !== undefined && config.idfx !== mapping) {
    return `The existing directory uses the mapping method '${config.idfx}', the configuration says '${mapping}'.`;
  }
  if (config?.schema !== undefined && schema !== undefined && config.schema !== schema) {
    return `The existing directory was made for the schema '${config.schema}', the configuration says '${schema}'.`;
  }
  return undefined;
}

/** The content of the file; undefined if there is none; a sentence if it cannot be used. */
function readDirectoryConfig(directory: string): { schema?: unknown; idfx?: unknown } | string | undefined {
  const file = join(directory, DIRECTORY_CONFIG_FILE);
  if (!existsSync(file)) return undefined;
  try {
    const config = readYaml(readFileSync(file, 'utf8'));
    if (isJsonObject(config) && config.type === 'records') return config;
    return `The file '${DIRECTORY_CONFIG_FILE}' of the existing directory is not of the type 'records'.`;
  } catch (error) {
    return `The file '${DIRECTORY_CONFIG_FILE}' of the existing directory is not valid YAML: ${(error as Error).message}.`;
  }
}

/** Puts a file in the place of another one, in one step that survives a loss of power. */
function replaceFile(file: string, content: string): void {
  writeFileSync(`${file}.new`, content, { flush: true });
  renameSync(`${file}.new`, file);
  const folder = openSync(dirname(file), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
