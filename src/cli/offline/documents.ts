/** Texts that hold several documents, read as they arrive: a stream of any length needs the memory of one document. */

import { allLines } from '../../client/lines.ts';

/** One document of a stream. */
export type StreamedDocument = {
  readonly text: string;
  /** How many lines of the stream are before it. */
  readonly linesBefore: number;
};

/** Kinds of texts that are streams: a document on each line, or documents between lines `---` (YAML 1.1, section 4.1). */
export type StreamKind = 'ndjson' | 'yaml';

/** Matches the lines before a document of YAML: directives, comments, blanks. */
const BEFORE_START = /^(?:%.*|\s*#.*|\s*)$/;

/** The documents of a stream in their order. An empty one is left out, unless it is the only one. */
export async function* documentsOf(
  chunks: AsyncIterable<string>,
  kind: StreamKind,
): AsyncGenerator<StreamedDocument> {
  let lines: string[] = [];
  let read = 0;
  let found = 0;
  const document = (): StreamedDocument[] => {
    const text = lines.join('\n');
    const linesBefore = read - lines.length;
    const isEmpty = lines.every((line) => /^(?:---)?\s*$/.test(line));
    lines = [];
    if (!isEmpty) found += 1;
    return isEmpty ? [] : [{ text, linesBefore }];
  };
  for await (const line of allLines(chunks)) {
    const isStart = kind === 'yaml' && /^---(?:\s|$)/.test(line);
    if (isStart && !lines.every((before) => BEFORE_START.test(before))) yield* document();
    const isEnd = kind === 'yaml' && /^\.\.\.(?:\s|$)/.test(line);
    lines.push(isEnd ? '' : line);
    read += 1;
    if (isEnd || kind === 'ndjson') yield* document();
  }
  yield* document();
  if (found === 0 && kind === 'yaml') yield { text: '', linesBefore: 0 };
}
