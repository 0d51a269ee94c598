/** `accession export`: all records of an area as a file, a folder, or on standard output. */
import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { AreaClient } from '../../client/client.ts';
import { DIRECTORY_CONFIG_FILE, writeDirectoryConfig } from '../../core/formats/directory-config.ts';
import { allFormats, type FileFormats, fileKind } from '../file-formats.ts';
import type { ModuleFiles, Writer } from '../module.ts';
import { prepareFile, requireNew } from '../new-file.ts';
import { UsageError } from '../outcome.ts';
import { countText } from '../print.ts';
import { startProgress } from '../progress.ts';
import { WRITERS } from './export-formats.ts';
import { fileOutput, folderOutput, type Output, STANDARD_OUTPUT } from './export-output.ts';
import { type AreaOptions, areaName, areaOf, schemaAddressOf, schemaOf, serviceOf } from './target.ts';

type ExportOptions = AreaOptions & {
  readonly format?: string;
  readonly class?: string;
  readonly matching?: string;
  readonly schema?: string;
  readonly overwrite?: boolean;
};

/** The command, with the formats that modules write. */
export function exporterOf(files: readonly ModuleFiles[]) {
  return (name: string, path: string | undefined, options: ExportOptions) =>
    exportRecords(name, path, options, files);
}

async function exportRecords(
  name: string,
  target: string | undefined,
  options: ExportOptions,
  files: readonly ModuleFiles[],
): Promise<number> {
  const path = target === '-' ? undefined : target;
  const service = serviceOf(options.url);
  const format = options.format ?? formatOf(path, allFormats(files));
  const write = await writerOf(format, files);
  const area = await areaOf(service.collection(name), options);
  const { matching, class: className } = options;
  const where = areaName(name, options);
  const to = await outputFor(format, path, options.overwrite);
  const schema = schemaOf(service, name, options.schema);
  let count: number;
  try {
    using progress = startProgress('records', await totalOf(area));
    if (to.folder !== undefined) {
      const address = options.schema ?? (await schemaAddressOf(service, name));
      writeDirectoryConfig(to.folder, 'digest-md5', address);
    }
    count = await write({ area, matching, className, schema, progress }, to);
    await to.end();
  } catch (error) {
    await to.stop();
    throw error;
  }
  process.stderr.write(`${countText(count, 'record')} exported from ${where}\n`);
  return 0;
}

async function writerOf(format: string, files: readonly ModuleFiles[]): Promise<Writer> {
  const ofModule = files.find(({ formats }) => Object.hasOwn(formats, format));
  const writers: Readonly<Record<string, Writer>> = ofModule ? (await ofModule.load()).writers : WRITERS;
  return writers[format]!;
}

/** @throws UsageError if there is an output that must not be replaced */
async function outputFor(format: string, path: string | undefined, overwrite = false): Promise<Output> {
  if (format !== 'yaml') {
    if (path === undefined) return STANDARD_OUTPUT;
    prepareFile(path, overwrite);
    return fileOutput(path);
  }
  if (path === undefined) throw new UsageError('YAML is written to a folder: give its path.');
  if (existsSync(path) && !existsSync(join(path, DIRECTORY_CONFIG_FILE)))
    throw new UsageError(`${path} exists and is not a folder of records.`);
  requireNew(path, overwrite);
  return folderOutput(path);
}

async function totalOf(area: AreaClient): Promise<number | undefined> {
  if (!process.stderr.isTTY) return undefined;
  return (await area.page({ size: 1 })).total;
}

function formatOf(path: string | undefined, formats: FileFormats): string {
  if (path === undefined) return 'ndjson';
  const kind = fileKind(path, formats);
  if (kind === undefined && extname(path) !== '' && !existsSync(path))
    throw new UsageError(
      `${path}: no format has this suffix. Name the format with --format, or a folder without a suffix for YAML.`,
    );
  const { title, onlyRead } = formats[kind ?? 'yaml']!;
  if (onlyRead === undefined) return kind ?? 'yaml';
  throw new UsageError(`${path}: ${title} files are only read. Use ${onlyRead}.`);
}
