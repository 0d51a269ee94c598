/** `accession export`: all records of an area as a file, a folder, or on standard output. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AreaClient } from '../../client/client.ts';
import type { Schema } from '../../schema/schema.ts';
import { type Given, UsageError } from '../command.ts';
import { fileKind } from '../offline/source-files.ts';
import { counted } from '../print.ts';
import { startProgress } from '../progress.ts';
import { WRITERS } from './export-formats.ts';
import { fileOutput, folderOutput, type Output, standardOutput } from './export-output.ts';
import type { ExportFormat } from './formats.ts';
import { areaName, areaOf, schemaOf, type Target, targetOf } from './target.ts';

/** Run by the table of commands. */
export async function exportRecords(given: Given): Promise<number> {
  const target = targetOf(given, ['COLLECTION']);
  const [name = '', path] = target.args;
  const format = formatOf(given.text('format') as ExportFormat | undefined, path);
  const area = areaOf(target.service.collection(name), given);
  const [matching, className] = [given.text('matching'), given.text('class')];
  const where = areaName(name, given);
  if (format === 'yaml') openFolder(path, given.text('schema') ?? (await schemaAddressOf(target, name)));
  const what = JSON.stringify([target.url, where, format, matching, className]);
  const to = await outputFor(format, path, what);
  const from = to.from ?? { count: 0, after: undefined };
  if (to.from) process.stderr.write(`continuing after ${counted(from.count, 'record')}\n`);
  let opened: Promise<Schema> | undefined;
  const schema = () => {
    opened ??= schemaOf(target, name, given.text('schema'));
    return opened;
  };
  const progress = startProgress('records', await totalOf(area));
  progress.advance(from.count);
  try {
    const count = await WRITERS[format]({ area, matching, className, schema, progress, from }, to, path);
    await to.end();
    progress.end();
    process.stderr.write(`${counted(count, 'record')} exported from ${where}\n`);
  } catch (error) {
    progress.end();
    await to.stop();
    throw error;
  }
  return 0;
}

async function outputFor(format: ExportFormat, path: string | undefined, what: string): Promise<Output> {
  if (path === undefined) return standardOutput();
  return format === 'yaml' ? folderOutput(path, what) : fileOutput(path, what);
}

/** Makes a folder of records in the layout of the peer. */
function openFolder(path: string | undefined, schemaAddress: string | undefined): void {
  if (path === undefined) throw new UsageError('YAML is written to a folder: give its path.');
  if (existsSync(path) && !existsSync(join(path, '.dumpthings.yaml'))) {
    throw new UsageError(`${path} exists and is not a folder of records.`);
  }
  mkdirSync(path, { recursive: true });
  const lines = [
    'type: records',
    'version: 1',
    `schema: ${schemaAddress}`,
    'format: yaml',
    'idfx: digest-md5',
  ];
  writeFileSync(join(path, '.dumpthings.yaml'), `# RecordDir Config\n${lines.join('\n')}\n`);
}

async function totalOf(area: AreaClient): Promise<number | undefined> {
  if (!process.stderr.isTTY) return undefined;
  return (await area.page({ size: 1 })).total;
}

async function schemaAddressOf({ service }: Target, collection: string): Promise<string | undefined> {
  const { collections } = await service.server();
  return collections.find(({ name }) => name === collection)?.schema;
}

function formatOf(given: ExportFormat | undefined, path: string | undefined): ExportFormat {
  if (given !== undefined) return given;
  if (path === undefined) return 'ndjson';
  if (path.toLowerCase().endsWith('.nq')) return 'nq';
  const kind = fileKind(path);
  if (kind === undefined || kind === 'yaml') return 'yaml';
  return kind;
}
