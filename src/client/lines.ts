/** The lines of a stream of text, without their ends: line feeds alone, since JSON may have the other separators of Unicode. */
export async function* allLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest: string[] = [];
  for await (const chunk of chunks) {
    const [first = '', ...others] = chunk.split('\n');
    rest.push(first);
    for (const line of others) {
      yield rest.join('');
      rest = [line];
    }
  }
  if (rest.some((piece) => piece !== '')) yield rest.join('');
}

/** The same without empty lines. */
export async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of allLines(chunks)) if (line.trim() !== '') yield line;
}
