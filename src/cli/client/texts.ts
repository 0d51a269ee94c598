/** The records in a stream or text, each as the JSON text that is sent: memory does not grow with the input. */

import { canonicalJson } from '#linkml/json.ts';
import type { YamlOptions } from '#linkml/yaml/options.ts';
import { YamlError } from '#linkml/yaml/read.ts';
import { lines } from '../../client/lines.ts';
import { ArraySplitter } from '../../core/formats/json-items.ts';
import { readRecordsInYaml } from '../../core/formats/submitter.ts';
import type { TextKind } from '../file-formats.ts';
import { UsageError } from '../outcome.ts';

/** The JSON text of a record, and where it comes from. */
export type RecordSource = { readonly text: string; readonly at: string };

/** The records of a stream of JSON (an array, an object, or one object a line). */
export async function* textsInStream(chunks: AsyncIterable<string>): AsyncGenerator<RecordSource> {
  const rest = chunks[Symbol.asyncIterator]();
  let start = '';
  for (let next = await rest.next(); !next.done; next = await rest.next()) {
    start += next.value;
    if (start.trim() !== '') break;
  }
  start = start.replace(/^\ufeff/, '');
  const all = (async function* () {
    yield start;
    yield* { [Symbol.asyncIterator]: () => rest };
  })();
  const isArray = /^\s*\[/.test(start);
  let count = 0;
  for await (const text of isArray ? arrayItems(all) : objects(all)) {
    count += 1;
    yield { text, at: `${isArray ? 'item' : 'line'} ${count}` };
  }
}

/** Lines are passed on as they are, so that a broken one is one refused record; an indented object is one, too. */
async function* objects(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let open: string[] = [];
  for await (const line of lines(chunks)) {
    if (open.length === 0 && line.trim() !== '{') yield line;
    else {
      open.push(line);
      if (line === '}') {
        yield open.join(' ');
        open = [];
      }
    }
  }
  if (open.length > 0) yield open.join(' ');
}

async function* arrayItems(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  const splitter = new ArraySplitter();
  for await (const chunk of chunks) for (const item of splitter.split(chunk)) yield oneLine(item);
  requireWhole(splitter);
}

function requireWhole({ isWhole }: ArraySplitter): void {
  if (!isWhole) throw new UsageError('The JSON array has no end, or something follows it.');
}

const oneLine = (text: string) => text.trim().replaceAll(/[\r\n]+/g, ' ');

/** The records of a string that is read as a whole. */
export function textsIn(kind: TextKind, content: string, options: YamlOptions = {}): RecordSource[] {
  if (kind === 'yaml') return yamlTexts(content, options);
  if (kind !== 'json' && kind !== 'ndjson')
    throw new UsageError(`Expected JSON, NDJSON or YAML, found ${kind}.`);
  if (/^\ufeff?\s*\[/.test(content)) {
    const splitter = new ArraySplitter();
    const items = [...splitter.split(content)];
    requireWhole(splitter);
    return items.map((text, i) => ({ text: oneLine(text), at: `item ${i + 1}` }));
  }
  if (kind === 'json' && /^\s*[^\s[{]/.test(content))
    throw new UsageError('The input is not JSON. For YAML use --input yaml.');
  if (isJson(content)) return [{ text: oneLine(content), at: 'item 1' }];
  const all = content.split('\n').map((text, i) => ({ text, at: `line ${i + 1}` }));
  return all.filter(({ text }) => text.trim() !== '');
}

function isJson(content: string): boolean {
  try {
    JSON.parse(content);
    return true;
  } catch {
    return false;
  }
}

function yamlTexts(content: string, options: YamlOptions): RecordSource[] {
  try {
    const value = readRecordsInYaml(content, { duplicateKeys: 'refuse', ...options });
    const all = Array.isArray(value) ? value : [value];
    return all.map((one, i) => ({ text: canonicalJson(one), at: `item ${i + 1}` }));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new UsageError(`The input cannot be read: ${error.message}.`);
  }
}
