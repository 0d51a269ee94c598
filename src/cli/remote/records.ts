/** `accession get`, `list`, `put` and `delete`. */

import { readFileSync } from 'node:fs';
import { text as readStream } from 'node:stream/consumers';
import { type AreaClient, ClientError, type ItemResult } from '../../client/client.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../json.ts';
import { schemaTypeIn, withoutType } from '../../schema-type.ts';
import { writeYaml } from '../../yaml/write.ts';
import { type Given, UsageError } from '../command.ts';
import { type FileKind, fileKind } from '../offline/source-files.ts';
import { complain, FAILURE, PROBLEMS_FOUND } from '../outcome.ts';
import { counted, printRows, write } from '../print.ts';
import { sendBatch } from './batch.ts';
import { areaOf, targetOf } from './target.ts';
import { textsIn } from './texts.ts';

/** `get`: records by pid. */
export async function get(given: Given): Promise<number> {
  const { service, args } = targetOf(given, ['COLLECTION', 'PID']);
  const [name = '', ...pids] = args;
  const area = areaOf(service.collection(name), given);
  const format = given.text('format');
  let missing = 0;
  for (const pid of pids) {
    const found = format === 'ttl' ? await area.getTurtle(pid) : await area.getText(pid);
    if (found === undefined) {
      missing += 1;
      complain(`The record '${pid}' does not exist.`, FAILURE);
    } else if (format === 'yaml') await write(writeYaml(withoutType(parseJson(found) as JsonObject)));
    else await write(`${found.trimEnd()}\n`);
  }
  return missing > 0 ? FAILURE : 0;
}

/** `list`: the records of an area, or of a class. */
export async function listCommand(given: Given): Promise<number> {
  const { service, args } = targetOf(given, ['COLLECTION']);
  const collection = service.collection(args[0] as string);
  if (given.text('incoming') === '-') {
    for (const label of await collection.labels()) await write(`${label}\n`);
    return 0;
  }
  const area = areaOf(collection, given);
  const options = { className: given.text('class'), matching: given.text('matching') };
  if (given.is('stats')) {
    const { total, pages, size } = await area.page({ ...options, size: 100 });
    await write(
      given.is('json') ? `${JSON.stringify([pages, size, total])}\n` : `${counted(total, 'record')}\n`,
    );
    return 0;
  }
  const limit = numberFlag(given, 'limit');
  const rows: { pid: unknown; class: unknown; title: string }[] = [];
  let count = 0;
  for await (const record of area.records(options)) {
    if (limit !== undefined && count >= limit) break;
    count += 1;
    if (given.is('json')) await write(`${JSON.stringify(record)}\n`);
    else
      rows.push({
        pid: record.pid,
        class: schemaTypeIn(record as JsonObject) ?? options.className,
        title: titleIn(record as JsonObject),
      });
  }
  if (!given.is('json')) await printRows(rows, ['pid', 'class', 'title'], false);
  return 0;
}

/** `maintenance`: only curators have access while it is on. */
export async function maintenance(given: Given): Promise<number> {
  const { service, args } = targetOf(given, ['COLLECTION', 'MODE']);
  const [name = '', mode = ''] = args;
  if (!/^o(?:n|ff)$/i.test(mode)) throw new UsageError(`MODE: expected on or off, found '${mode}'.`);
  await service.collection(name).maintenance(mode.toLowerCase() === 'on');
  return 0;
}

/** What a person recognizes a record by, without its schema. */
function titleIn(record: JsonObject): string {
  for (const slot of ['title', 'label', 'pref_label', 'display_label', 'name', 'short_name']) {
    if (typeof record[slot] === 'string') return record[slot];
  }
  return '';
}

/** A flag that is a whole number. @throws UsageError */
export function numberFlag(given: Given, flag: string): number | undefined {
  const text = given.text(flag);
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new UsageError(`--${flag}: expected a whole number, found '${text}'.`);
  return Number(text);
}

/** `put`: stores records from a file or standard input. */
export async function putCommand(given: Given): Promise<number> {
  const { service, args } = targetOf(given, ['COLLECTION', 'CLASS']);
  const [name = '', className = '', file = '-'] = args;
  const area = areaOf(service.collection(name), given);
  const kind = (given.text('input') ?? (file === '-' ? 'json' : fileKind(file)) ?? 'json') as FileKind;
  const content = file === '-' ? await readStream(process.stdin) : readFileSync(file, 'utf8');
  const texts = textsIn(kind, content).map(({ text }) => text);
  const results = await sendBatch(area, texts, className === '*' ? undefined : className, {
    addSubmissionTag: given.is('tag'),
    authorId: given.text('author'),
    message: given.text('message'),
  });
  for (const [index, result] of results.entries()) {
    if (result.status < 300) continue;
    await write(`${JSON.stringify({ pid: pidInText(texts[index] as string), ...result })}\n`);
  }
  const refused = results.filter(({ status }) => status >= 300).length;
  process.stderr.write(`${counted(results.length - refused, 'record')} stored, ${refused} refused\n`);
  return refused > 0 ? PROBLEMS_FOUND : 0;
}

/** The pid in the text of a record, as far as it can be read. */
export function pidInText(text: string): string | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) && typeof value.pid === 'string' ? value.pid : undefined;
  } catch {
    return undefined;
  }
}

/** Why an item was refused, in one line. */
export function reasonOf({ detail, status }: ItemResult): string {
  if (typeof detail === 'string') return detail;
  return detail?.map(({ msg }) => msg).join(' ') ?? `status ${status}`;
}

/** `delete`: records by pid, from the arguments or, one a line, from standard input. */
export async function deleteCommand(given: Given): Promise<number> {
  const { service, args } = targetOf(given, ['COLLECTION']);
  const [name = '', ...named] = args;
  const area = areaOf(service.collection(name), given);
  const pids =
    named.length > 0 ? named : (await readStream(process.stdin)).split('\n').map((line) => line.trim());
  let deleted = 0;
  let failed = 0;
  for (const pid of pids.filter((one) => one !== '')) {
    const problem = await removeOne(area, pid);
    if (problem === undefined) deleted += 1;
    else {
      failed += 1;
      complain(problem, FAILURE);
    }
  }
  process.stderr.write(`${counted(deleted, 'record')} deleted${failed > 0 ? `, ${failed} not` : ''}\n`);
  return failed > 0 ? PROBLEMS_FOUND : 0;
}

async function removeOne(area: AreaClient, pid: string): Promise<string | undefined> {
  try {
    await area.delete(pid);
    return undefined;
  } catch (error) {
    if (!(error instanceof ClientError) || error.status !== 404) throw error;
    return `${pid}: ${error.message}`;
  }
}
