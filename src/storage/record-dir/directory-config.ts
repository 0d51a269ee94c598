/** The file `.dumpthings.yaml`, in which a record directory says what it was made for. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject } from '../../json.ts';
import { readYaml } from '../../yaml/read.ts';
import type { MappingMethod } from './file-names.ts';

export const DIRECTORY_CONFIG_FILE = '.dumpthings.yaml';

/** Lists the schemas that the directory may be opened with besides the one that it was made for. */
const ALLOWED_FILE = join('.accession', 'schemas.json');

/**
 * Writes the file, with the bytes that the peer writes, if there is none or it names another schema, which then was
 * allowed.
 */
export function writeDirectoryConfig(directory: string, mapping: MappingMethod, schema: string): void {
  const file = join(directory, DIRECTORY_CONFIG_FILE);
  const config = readDirectoryConfig(directory);
  if (typeof config === 'string' || (config && (config.schema === undefined || config.schema === schema)))
    return;
  const text = `# RecordDir Config\ntype: records\nversion: 1\nschema: ${schema}\nformat: yaml\nidfx: ${mapping}\n`;
  writeFileSync(`${file}.new`, text, { flush: true });
  renameSync(`${file}.new`, file);
}

/** Allows the directory to be opened with another schema, which is about to replace the one that it was made for. */
export function allowSchemas(directory: string, schemas: readonly string[]): void {
  const file = join(directory, ALLOWED_FILE);
  const allowed = [...new Set([...allowedSchemas(directory), ...schemas])];
  writeFileSync(`${file}.new`, JSON.stringify(allowed), { flush: true });
  renameSync(`${file}.new`, file);
}

function allowedSchemas(directory: string): string[] {
  const file = join(directory, ALLOWED_FILE);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
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
  const isOther = config?.schema !== undefined && schema !== undefined && config.schema !== schema;
  if (isOther && !allowedSchemas(directory).includes(schema)) {
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
