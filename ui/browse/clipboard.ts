/** Cells as spreadsheet programs put them on the clipboard. */

/** A cell and what ends it. In quotes, it has tabs, line breaks, and quotes that are doubled. */
const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^\t\r\n]*))(\t|\r\n?|\n|$)/gy;

/** Lines of cells that are separated by tabs. A line break at the end of the text begins no other line. */
export function cellsOf(text: string): string[][] {
  const lines: string[][] = [[]];
  for (const { index, 0: whole, 1: quoted, 2: plain = '', 3: end } of text.matchAll(CELL)) {
    lines.at(-1)!.push(quoted?.replaceAll('""', '"').replace(/\r\n?/g, '\n') ?? plain);
    const isLast = end === '' || (end !== '\t' && index + whole.length === text.length);
    if (isLast) break;
    if (end !== '\t') lines.push([]);
  }
  return lines;
}
