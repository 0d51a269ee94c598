/** A position in a string, as people count: lines and columns from 1. */
export type TextPosition = { readonly line: number; readonly column: number };

/** The position of the character at an offset in UTF-16 units; a column counts characters, not units. */
export function positionAt(text: string, offset: number): TextPosition {
  const lineEnd = /\r\n|\r|\n/g;
  let line = 1;
  let lineStart = 0;
  while (lineEnd.test(text) && lineEnd.lastIndex <= offset) {
    line++;
    lineStart = lineEnd.lastIndex;
  }
  let column = 1;
  for (let i = lineStart; i < offset; i++) if (!isLowSurrogate(text.charCodeAt(i))) column++;
  return { line, column };
}

/** The second half of a character beyond U+FFFF. */
function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The part of a string that a message repeats. */
export function excerpt(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 99)}…`;
}
