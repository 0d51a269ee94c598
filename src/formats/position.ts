/** Where in a text something stands, as people count: lines and columns from 1. */
export type Position = { readonly line: number; readonly column: number };

/** The position of the character at an offset in UTF-16 units; a column counts characters, not units. */
export function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const lastLine = before.slice(before.lastIndexOf('\n') + 1);
  return { line, column: [...lastLine].length + 1 };
}
