/** Record files: where they are in a directory, and what is in one. */
import { isUtf8 } from 'node:buffer';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canonicalJson, isJsonObject, type JsonObject, parseJson } from '#linkml/json.ts';
import { notUtf8 } from '#linkml/position.ts';
import { readYaml } from '#linkml/yaml/read.ts';
import { writeYaml } from '#linkml/yaml/write.ts';
import { DIRECTORY_CONFIG_FILE } from '../../../core/formats/directory-config.ts';
import { SUFFIX } from '../../../core/formats/record-path.ts';
import { addSchemaType, removeSchemaType } from '../../../core/schema-type.ts';
import type { RecordStore, StoredRecord } from '../../../core/storage/store.ts';
import { digestOf, entriesOf, isFolder, isVisibleFolder } from './disk.ts';

/** How records are named: a part of the schema of a collection. */
export type Naming = {
  /** The IRI of a pid; undefined if its prefix is unknown. */
  readonly expand: (pid: string) => string | undefined;
  /** The `schema_type` of a class; undefined if the schema has no such class. */
  readonly schemaTypeOf: (className: string) => string | undefined;
  /** Replaces what a release of the peer has damaged; see `submitter.ts`. */
  readonly mend?: (record: JsonObject) => JsonObject;
};

/** A record as it is in a file; the text has its `schema_type`. */
export type FoundRecord = {
  readonly pid: string;
  readonly iri: string;
  readonly className: string;
  readonly json: string;
};

/** Longer files are not records, in bytes: they are not read. */
export const LONGEST_FILE = 64 * 1024 * 1024;
export const TOO_LONG = 'it is too long for a record';

/** Why a file holds no record, as a part of a sentence for a person. */
export class RecordFileError extends Error {}

/**
 * The content of the file of a record.
 *
 * @param json the text of the database, with `schema_type`
 * @param typed whether files have it, too: those of backends without `+stl`
 */
export function recordYaml(json: string, typed: boolean): string {
  return writeYaml(parseJson(typed ? json : removeSchemaType(json)) as JsonObject);
}

/**
 * The record in a file.
 *
 * @param path relative to the area: its first folder names the class
 * @param typed see {@link recordYaml}: if files have a `schema_type`, one that is there is kept
 * @throws RecordFileError
 */
function readRecord(path: string, content: Uint8Array, naming: Naming, typed: boolean): FoundRecord {
  return recordAt(path, () => readMapping(content), naming, typed);
}

/**
 * The record in a file of an area, or why there is none, as the import, the check and the comparison of stores read it.
 *
 * @returns undefined if the file is gone
 */
export function readRecordFile(
  directory: string,
  path: string,
  naming: Naming,
  typed: boolean,
): { readonly digest: string; readonly found: FoundRecord | RecordFileError } | undefined {
  let content: Buffer;
  try {
    content = readFileSync(`${directory}/${path}`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT'
      ? undefined
      : { digest: '', found: new RecordFileError(`it can't be read: ${code}`) };
  }
  const found = orFault(() => readRecord(path, content, naming, typed));
  return { digest: digestOf(content), found };
}

/** What was read, or the fault that kept it from being read. */
export function orFault<T>(read: () => T): T | RecordFileError {
  try {
    return read();
  } catch (error) {
    if (error instanceof RecordFileError) return error;
    throw error;
  }
}

/** Reads the record of a file whose content is already at hand as a mapping. @throws RecordFileError */
export function recordAt(path: string, read: () => JsonObject, naming: Naming, typed: boolean): FoundRecord {
  const className = classFolder(path);
  if (className === '') throw new RecordFileError('it lies in no folder of a class');
  if (naming.schemaTypeOf(className) === undefined)
    throw new RecordFileError(`its folder '${className}' is named for no class of the schema`);
  return recordOf(className, read(), naming, typed);
}

/** A record as it was read from a file or a table. @throws RecordFileError */
export function recordOf(className: string, read: JsonObject, naming: Naming, typed: boolean): FoundRecord {
  const record = naming.mend?.(read) ?? read;
  const { pid } = record;
  if (typeof pid !== 'string')
    throw new RecordFileError("the record has no 'pid', or one that is not a string");
  const iri = naming.expand(pid);
  if (iri === undefined) throw new RecordFileError(`the prefix of its pid '${pid}' is unknown to the schema`);
  const schemaType = naming.schemaTypeOf(className);
  if (schemaType === undefined) throw new RecordFileError(`the schema has no class '${className}'`);
  return {
    pid,
    iri,
    className,
    json: addSchemaType(canonicalJson(record), schemaType, typed ? 'keep' : 'replace'),
  };
}

/** The mapping in a file. @throws RecordFileError */
export function readMapping(content: Uint8Array): JsonObject {
  const reason = isUtf8(content) ? undefined : notUtf8(content);
  if (reason !== undefined) throw new RecordFileError(reason);
  const text = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString();
  let record: unknown;
  try {
    record = readYaml(text, { tuples: 'list' });
  } catch (error) {
    throw new RecordFileError((error as Error).message);
  }
  if (!isJsonObject(record)) throw new RecordFileError('it holds no mapping, and so no record');
  return record;
}

/** The folder that a path begins with; empty for a file beside the folders. */
export function classFolder(path: string): string {
  return path.slice(0, Math.max(0, path.indexOf('/')));
}

/**
 * The paths of all record files below a folder of an area, relative to the area, in no order. Hidden folders and linked
 * ones are passed by.
 *
 * @param pass receives the paths of folders that are passed by, but for those beside the folders of classes
 */
export function* recordFiles(
  directory: string,
  folder = '',
  pass?: (path: string) => void,
): Generator<string> {
  for (const entry of entriesOf(join(directory, folder))) {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    if (entry.isDirectory()) {
      if (isVisibleFolder(entry)) yield* recordFiles(directory, path, pass);
      else if (folder !== '') pass?.(path);
    } else if (isRecordPath(path)) {
      yield path;
    } else if (pass && entry.isSymbolicLink() && isFolder(join(directory, path))) pass(path);
  }
}

/** Whether a path is that of a record file: the peer takes every file with the suffix, but not hidden ones beside the folders. */
export function isRecordPath(path: string): boolean {
  return path.endsWith(SUFFIX) && !(path.startsWith('.') && !path.includes('/'));
}

/** The paths of the record files of an area, without those of other areas below it; see {@link recordFiles}. */
export function* filesOfArea(
  directory: string,
  isClass: (name: string) => boolean,
  pass?: (path: string) => void,
): Generator<string> {
  for (const path of recordFiles(directory, '', pass))
    if (isClass(classFolder(path)) || !isInOtherArea(directory, path)) yield path;
}

/**
 * Whether a file, by its path in an area, belongs to another area below: the incoming zones of a collection may lie below
 * its curated area.
 */
export function isInOtherArea(directory: string, path: string): boolean {
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
    if (existsSync(join(directory, folder, DIRECTORY_CONFIG_FILE))) return true;
  return false;
}

/** The records of an area that have one of the IRIs, by IRI. */
export async function recordsByIri(
  store: Pick<RecordStore, 'records'>,
  iris: readonly string[],
): Promise<Map<string, StoredRecord>> {
  const found = new Map<string, StoredRecord>();
  for await (const record of store.records(iris)) found.set(record.iri, record);
  return found;
}
