/** The records in a stream or text, each as the JSON text that is sent: memory does not grow with the input. */

import { lines } from '../../client/lines.ts';
import { canonicalJson } from '../../json.ts';
import { readYaml, YamlError } from '../../yaml/read.ts';
import type { FileKind } from '../offline/source-files.ts';
import { UsageError } from '../outcome.ts';

/** The JSON text of a record, and where it comes from. */
export type RecordSource = { readonly text: string; readonly at: string };

/** The records of a stream of JSON (an array, an object, or one object a line). */
export async function* textsInStream(chunks: AsyncIterable<string>): AsyncGenerator<RecordSource> {
  let first = '';
  const iterator = chunks[Symbol.asyncIterator]();
  for (;;) {
    const next = await iterator.next();
    if (next.done) break;
    first += next.value;
    if (first.trim() !== '') break;
  }
  const all = (async function* () {
    yield first.replace(/^\ufeff/, '');
    for (;;) {
      const next = await iterator.next();
      if (next.done) return;
      yield next.value;
    }
  })();
  if (/^\s*\[/.test(first)) {
    let index = 0;
    for await (const text of arrayItems(all)) {
      index += 1;
      yield { text, at: `item ${index}` };
    }
    return;
  }
  // Objects that span lines are put together: a line of NDJSON is one object.
  let count = 0;
  for await (const text of objects(all)) {
    count += 1;
    yield { text, at: `line ${count}` };
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

/** The texts of the items of a JSON array, split without parsing them. @throws UsageError for what is not an array */
async function* arrayItems(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let depth = 0;
  let inString = false;
  let escaped = false;
  let item = '';
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const code = chunk.charCodeAt(at);
      if (inString) {
        if (escaped) escaped = false;
        else if (code === 0x5c) escaped = true;
        else if (code === 0x22) inString = false;
        continue;
      }
      if (code === 0x22) inString = true;
      else if (code === 0x7b || code === 0x5b) {
        depth += 1;
        if (depth === 1) start = at + 1;
      } else if (code === 0x7d || code === 0x5d || (code === 0x2c && depth === 1)) {
        const ends = code === 0x2c || depth === 1;
        if (ends) {
          const text = (item + chunk.slice(start, at)).trim();
          if (text !== '') yield text.replaceAll(/[\r\n]+/g, ' ');
          item = '';
          start = at + 1;
        }
        if (code !== 0x2c) depth -= 1;
        if (depth === 0) return;
      }
    }
    if (depth > 0) item += chunk.slice(start);
  }
  throw new UsageError('The JSON array has no end.');
}

/** The records of a string that is read as a whole. */
export function textsIn(kind: FileKind, content: string): RecordSource[] {
  if (kind === 'yaml') return yamlTexts(content);
  if (kind !== 'json' && kind !== 'ndjson')
    throw new UsageError(`Expected JSON, NDJSON or YAML, found ${kind}.`);
  try {
    const value: unknown = JSON.parse(content);
    // Only the shape is taken from the parsed value: the text keeps the digits of numbers.
    if (!Array.isArray(value)) return [{ text: content.replaceAll(/[\r\n]+/g, ' '), at: 'item 1' }];
  } catch {
    return content
      .split('\n')
      .flatMap((text, i) => (text.trim() === '' ? [] : [{ text, at: `line ${i + 1}` }]));
  }
  const items = itemsOfText(content);
  return items.map((text, i) => ({ text, at: `item ${i + 1}` }));
}

function itemsOfText(content: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let start = 0;
  for (const match of content.matchAll(/"(?:[^"\\]|\\[\s\S])*"|[[\]{},]/g)) {
    const [piece] = match;
    if (piece.startsWith('"')) continue;
    if (piece === '[' || piece === '{') {
      depth += 1;
      if (depth === 1) start = match.index + 1;
    } else {
      if (depth === 1) {
        const text = content.slice(start, match.index).trim();
        if (text !== '') found.push(text.replaceAll(/[\r\n]+/g, ' '));
        start = match.index + 1;
      }
      if (piece !== ',') depth -= 1;
    }
  }
  return found;
}

function yamlTexts(content: string): RecordSource[] {
  try {
    const value = readYaml(content);
    const all = Array.isArray(value) ? value : [value];
    return all.map((one, i) => ({ text: canonicalJson(one), at: `item ${i + 1}` }));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new UsageError(`The input cannot be read: ${error.message}.`);
  }
}
