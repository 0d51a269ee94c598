/** The lines of a stream of text, without their ends; empty lines are skipped. */
export async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const all = (rest + chunk).split('\n');
    rest = all.pop() ?? '';
    for (const line of all) if (line.trim() !== '') yield line;
  }
  if (rest.trim() !== '') yield rest;
}
