/** Tables as text: CSV as spreadsheets write it, with comma, semicolon or tab. */

export type Sheet = { readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] };

/** Reads a table; the first row names the columns. Quotes, doubled quotes and line breaks in cells are understood. */
export function parseTable(text: string): Sheet {
  const source = text.replace(/^\uFEFF/, '');
  const delimiter = delimiterOf(source);
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let i = 0; i < source.length; i++) {
    const character = source[i]!;
    if (quoted) {
      if (character !== '"') cell += character;
      else if (source[i + 1] === '"') {
        cell += '"';
        i++;
      } else quoted = false;
    } else if (character === '"' && cell === '') quoted = true;
    else if (character === delimiter) {
      row.push(cell);
      cell = '';
    } else if (character === '\n' || character === '\r') {
      if (character === '\r' && source[i + 1] === '\n') i++;
      rows.push([...row, cell]);
      row = [];
      cell = '';
    } else cell += character;
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell]);
  const [columns = [], ...rest] = rows.filter((one) => one.some((value) => value.trim() !== ''));
  return { columns: columns.map((name) => name.trim()), rows: rest };
}

/** The most frequent candidate in the first line. */
function delimiterOf(text: string): string {
  const [first = ''] = text.split(/\r?\n/, 1);
  const counted = [',', ';', '\t'].map((candidate) => [candidate, first.split(candidate).length] as const);
  return counted.sort((a, b) => b[1] - a[1])[0]![0];
}
