/** `accession get`, `changes`, `list`, `put` and `delete`. */
import { existsSync, statSync } from 'node:fs';
import { compareCodePoints, isJsonObject, type JsonObject, parseJson } from '#linkml/json.ts';
import { writeYaml } from '#linkml/yaml/write.ts';
import {
  type AreaClient,
  ClientError,
  type ItemResult,
  type RecordObject,
  type StoreOptions,
} from '../../client/client.ts';
import { DAMAGED } from '../../client/http.ts';
import type { FormatName } from '../../core/formats/formats.ts';
import { schemaTypeIn, withoutType } from '../../core/schema-type.ts';
import { fileKind, TEXT_FORMATS, type TextKind } from '../file-formats.ts';
import { complain, FAILURE, PROBLEMS_FOUND, UsageError } from '../outcome.ts';
import { countText, printFound, write } from '../print.ts';
import { readInput, readText } from '../utf8-text.ts';
import { withSubclasses } from './names.ts';
import { type AreaOptions, areaOf, serviceOf } from './target.ts';
import { textsIn } from './texts.ts';

type GetOptions = AreaOptions & { readonly format: FormatName | 'yaml' };

/** `get`: records by pid. */
export async function get(name: string, pids: readonly string[], options: GetOptions): Promise<number> {
  const area = await areaOf(serviceOf(options.url).collection(name), options);
  let missing = 0;
  for (const pid of pids) {
    const found = await area.getText(pid, options.format === 'yaml' ? 'json' : options.format);
    if (found === undefined) {
      missing += 1;
      complain(`The record '${pid}' does not exist.`);
    } else if (options.format === 'yaml') await write(writeYaml(withoutType(recordIn(found))));
    else if (options.format === 'json') await write(`${recordIn(found) && found.trimEnd()}\n`);
    else await write(`${found.trimEnd()}\n`);
  }
  return missing > 0 ? FAILURE : 0;
}

type ChangesOptions = AreaOptions & {
  readonly since?: string;
  readonly follow?: boolean;
  readonly class?: string;
};

/** `changes`: those of an area. */
export async function changes(name: string, options: ChangesOptions): Promise<number> {
  const { since, follow = false, class: className } = options;
  const area = await areaOf(serviceOf(options.url).collection(name), options);
  for await (const change of area.changes({ since, className, once: !follow }))
    await write(`${JSON.stringify(change)}\n`);
  return 0;
}

type ListOptions = AreaOptions & {
  readonly class?: string;
  readonly matching?: string;
  readonly limit?: number;
  readonly stats?: boolean;
  readonly json?: boolean;
};

/** `list`: the records of an area, or of a class. */
export async function list(name: string, options: ListOptions): Promise<number> {
  const collection = serviceOf(options.url).collection(name);
  if (options.incoming === '-') {
    for (const label of await collection.labels()) await write(`${label}\n`);
    return 0;
  }
  const area = await areaOf(collection, options);
  const { class: className, matching, limit = Number.POSITIVE_INFINITY, json } = options;
  // Lists of the curated area and of zones have no subclasses.
  const isExact = className !== undefined && area !== collection;
  const classes = isExact ? await withSubclasses(collection, className) : [className];
  if (options.stats) {
    const size = 100;
    let total = 0;
    for (const of of classes) total += (await area.page({ className: of, matching, size })).total;
    const pages = Math.ceil(total / size);
    await write(json ? `${JSON.stringify([pages, size, total])}\n` : `${countText(total, 'record')}\n`);
    return 0;
  }
  const rows: { pid: unknown; class: unknown; title: string }[] = [];
  let count = 0;
  const lists = classes.map((of) => ({ of, records: area.records({ className: of, matching }) }));
  for await (const { of, record } of inPidOrder(lists)) {
    if (count >= limit) break;
    count += 1;
    if (json) await write(`${JSON.stringify(record)}\n`);
    else rows.push({ pid: record.pid, class: schemaTypeIn(record) ?? of, title: titleIn(record) });
  }
  if (!json) await printFound(rows, ['pid', 'class', 'title']);
  return 0;
}

type ListOfClass = { readonly of: string | undefined; readonly records: AsyncGenerator<RecordObject> };

/** Merges lists that are in the order of pids. */
async function* inPidOrder(
  lists: readonly ListOfClass[],
): AsyncGenerator<{ of: string | undefined; record: JsonObject }> {
  const next = async ({ of, records }: ListOfClass) => {
    const { value, done } = await records.next();
    return done ? [] : [{ of, records, record: value as JsonObject }];
  };
  let heads = (await Promise.all(lists.map(next))).flat();
  while (heads.length > 0) {
    const first = heads.reduce((low, one) =>
      compareCodePoints(String(one.record.pid), String(low.record.pid)) < 0 ? one : low,
    );
    yield first;
    const [following] = await next(first);
    heads = heads.flatMap((one) => (one === first ? (following ?? []) : one));
  }
}

/** Returns the title of a record for people, without its schema. */
function titleIn(record: JsonObject): string {
  for (const slot of ['title', 'label', 'pref_label', 'display_label', 'name', 'short_name']) {
    if (typeof record[slot] === 'string') return record[slot];
  }
  return '';
}

/** Options that describe stored records to the curators. */
export type StoringOptions = AreaOptions & {
  readonly tag?: boolean;
  readonly author?: string;
  readonly message?: string;
};

/** These options as the client library takes them. */
export function storeOptions({ tag = false, author, message, curated }: StoringOptions): StoreOptions {
  if (curated && message !== undefined)
    throw new UsageError('--message is for submissions: it has no effect with --curated.');
  return { addSubmissionTag: tag, authorId: author, message };
}

/** `put`: stores records from a file or standard input. */
export async function put(
  name: string,
  className: string,
  file: string | undefined,
  options: StoringOptions & { readonly input?: TextKind },
): Promise<number> {
  // Without this, the command would wait for records on standard input.
  if (file === undefined && existsSync(className) && statSync(className).isFile())
    throw new UsageError(
      `Expected a class before the file ${className}, such as Person; or * if each record names its own.`,
    );
  const area = await areaOf(serviceOf(options.url).collection(name), options);
  const isStream = file === undefined || file === '-';
  const kind = options.input ?? (isStream ? 'json' : fileKind(file, TEXT_FORMATS)) ?? 'json';
  const content = isStream ? await readInput() : readText(file);
  const texts = textsIn(kind, content).map(({ text }) => text);
  if (texts.length === 0) {
    complain(`${isStream ? 'standard input' : file}: expected records, found none.`);
    return FAILURE;
  }
  const of = className === '*' ? undefined : className;
  const results = await area.putMany(texts, of, storeOptions(options));
  for (const [index, result] of results.entries()) {
    if (result.status < 300) continue;
    process.stderr.write(`${pidInText(texts[index]!) ?? `record ${index + 1}`}: ${reasonOf(result)}\n`);
  }
  const refused = results.filter(({ status }) => status >= 300).length;
  process.stderr.write(`${countText(results.length - refused, 'record')} stored, ${refused} refused\n`);
  return refused > 0 ? PROBLEMS_FOUND : 0;
}

/** Parses a record that a service has sent. @throws ClientError if it is damaged in the database of the service */
export function recordIn(text: string): JsonObject {
  try {
    return parseJson(text) as JsonObject;
  } catch (cause) {
    const name = /"pid":"([^"]*)"/.exec(text)?.[1] ?? text.slice(0, 100);
    const message = `The record ${name} of the service is not JSON: ${(cause as Error).message}. ${DAMAGED}`;
    throw new ClientError(message, 200, [], { cause });
  }
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
export async function remove(
  name: string,
  named: readonly string[],
  options: AreaOptions & { readonly ifUnreferenced?: boolean },
): Promise<number> {
  const area = await areaOf(serviceOf(options.url).collection(name), options);
  const pids = named.length > 0 ? named : (await readInput()).split('\n');
  let deleted = 0;
  let failed = 0;
  for (const pid of pids.map((one) => one.trim()).filter((one) => one !== '')) {
    const problem = await removeOne(area, pid, options.ifUnreferenced);
    if (problem === undefined) deleted += 1;
    else {
      failed += 1;
      complain(problem);
    }
  }
  process.stderr.write(`${countText(deleted, 'record')} deleted${failed > 0 ? `, ${failed} not` : ''}\n`);
  return failed > 0 ? PROBLEMS_FOUND : 0;
}

/** Deletes a record, and warns if others refer to it. @returns why it is not deleted */
async function removeOne(
  area: AreaClient,
  pid: string,
  ifUnreferenced: boolean | undefined,
): Promise<string | undefined> {
  try {
    const { referrers } = await area.delete(pid, { ifUnreferenced });
    if (referrers > 0)
      process.stderr.write(
        `${pid}: deleted, and ${countText(referrers, 'record still refers', 'records still refer')} to it\n`,
      );
    return undefined;
  } catch (error) {
    if (!(error instanceof ClientError) || (error.status !== 404 && error.status !== 409)) throw error;
    return `${pid}: ${error.message}`;
  }
}
