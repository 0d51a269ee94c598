import { ClientError } from './http.ts';

/** Characters of a line: no record, and no event, is longer. Without an end, a line would fill the memory. */
const LONGEST_LINE = 64 * 1024 * 1024;

/** The text of a stream in UTF-8. */
export async function* decoded(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/**
 * The lines of a stream of text, without their ends: line feeds alone, since JSON may have the other separators of Unicode.
 *
 * @param longest characters of a line
 * @throws ClientError for a line that has no end
 */
export async function* allLines(
  chunks: AsyncIterable<string>,
  longest = LONGEST_LINE,
): AsyncGenerator<string> {
  let rest: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const [first = '', ...others] = chunk.split('\n');
    rest.push(first);
    for (const line of others) {
      yield rest.join('');
      rest = [line];
      length = 0;
    }
    length += rest.at(-1)!.length;
    if (length > longest)
      throw new ClientError(
        `A line has more than ${longest} characters: expected each record in a line of its own.`,
        200,
        [],
      );
  }
  if (rest.some((piece) => piece !== '')) yield rest.join('');
}

/** The lines of a stream of text that are not empty, without their ends. */
export async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of allLines(chunks)) if (line.trim() !== '') yield line;
}
