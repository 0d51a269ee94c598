/** `accession export`: all records of an area as a file, a folder, or on standard output. */
import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { AreaClient } from '../../client/client.ts';
import { DIRECTORY_CONFIG_FILE, writeDirectoryConfig } from '../../peer/directory-config.ts';
import { FILE_FORMATS, fileKind, type WrittenKind } from '../file-formats.ts';
import { makeDirectory, requireNew } from '../new-file.ts';
import { UsageError } from '../outcome.ts';
import { counted } from '../print.ts';
import { startProgress } from '../progress.ts';
import { WRITERS } from './export-formats.ts';
import { fileOutput, folderOutput, type Output, standardOutput } from './export-output.ts';
import { type AreaOptions, areaName, areaOf, schemaAddressOf, schemaOf, serviceOf, urlOf } from './target.ts';

type ExportOptions = AreaOptions & {
  readonly format?: WrittenKind;
  readonly class?: string;
  readonly matching?: string;
  readonly schema?: string;
  readonly overwrite?: boolean;
};

export async function exportRecords(
  name: string,
  given: string | undefined,
  options: ExportOptions,
): Promise<number> {
  const path = given === '-' ? undefined : given;
  const service = serviceOf(options.url);
  const format = options.format ?? formatOf(path);
  const area = await areaOf(service.collection(name), options);
  const { matching, class: className } = options;
  const where = areaName(name, options);
  const what = JSON.stringify([urlOf(options.url), where, format, matching, className]);
  const to = await outputFor(format, path, what, options.overwrite);
  if (format === 'yaml') {
    makeDirectory(path!);
    const address = options.schema ?? (await schemaAddressOf(service, name));
    writeDirectoryConfig(path!, 'digest-md5', address);
  }
  const from = to.from ?? { count: 0, after: undefined };
  if (to.from) process.stderr.write(`continuing after ${counted(from.count, 'record')}\n`);
  const schema = schemaOf(service, name, options.schema);
  let count: number;
  try {
    using progress = startProgress('records', await totalOf(area));
    progress.advance(from.count);
    count = await WRITERS[format]({ area, matching, className, schema, progress, from }, to, path);
    await to.end();
  } catch (error) {
    await to.stop();
    throw error;
  }
  process.stderr.write(`${counted(count, 'record')} exported from ${where}\n`);
  return 0;
}

/** @throws UsageError if there is an output that must not be replaced */
async function outputFor(
  format: WrittenKind,
  path: string | undefined,
  what: string,
  overwrite = false,
): Promise<Output> {
  if (format !== 'yaml') {
    if (path === undefined) return standardOutput();
    requireNew(path, overwrite);
    return fileOutput(path, what);
  }
  if (path === undefined) throw new UsageError('YAML is written to a folder: give its path.');
  if (existsSync(path) && !existsSync(join(path, DIRECTORY_CONFIG_FILE)))
    throw new UsageError(`${path} exists and is not a folder of records.`);
  return folderOutput(path, what, overwrite);
}

async function totalOf(area: AreaClient): Promise<number | undefined> {
  if (!process.stderr.isTTY) return undefined;
  return (await area.page({ size: 1 })).total;
}

function formatOf(path: string | undefined): WrittenKind {
  if (path === undefined) return 'ndjson';
  const kind = fileKind(path);
  if (kind === undefined && extname(path) !== '' && !existsSync(path))
    throw new UsageError(
      `${path}: no format has this suffix. Name the format with --format, or a folder without a suffix for YAML.`,
    );
  const format = FILE_FORMATS[kind ?? 'yaml'];
  if (!('onlyRead' in format)) return (kind ?? 'yaml') as WrittenKind;
  const [title, instead] = format.onlyRead;
  throw new UsageError(`${path}: ${title} files are only read. Use ${instead}.`);
}
