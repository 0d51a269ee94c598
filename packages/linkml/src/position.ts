/** Positions in texts, and of bytes that are not UTF-8. */

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
export function excerpt(text: string, most = 100): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** The part of what a schema says that a message repeats: patterns and expressions have several hundred characters. */
export function longExcerpt(text: string): string {
  return excerpt(text, 1000);
}

const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

type Utf8Fault = TextPosition & { readonly byte: string };

/**
 * The first bytes that are not UTF-8: a lenient decoder has U+FFFD there, and the character of the author is lost. U+FFFD itself is
 * a character like any other.
 */
export function utf8Fault(bytes: Uint8Array): Utf8Fault | undefined {
  const text = lenient.decode(bytes);
  let offset = 0;
  let from = 0;
  for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', from)) {
    offset += encoder.encode(text.slice(from, at)).length;
    const isCharacter = bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;
    if (!isCharacter) {
      const hex = (bytes[offset] as number).toString(16).toUpperCase();
      return { ...positionAt(text, at), byte: `0x${hex}` };
    }
    offset += 3;
    from = at + 1;
  }
  return undefined;
}

/** Where a file is not UTF-8, as a clause; undefined if it is. */
export function notUtf8(bytes: Uint8Array): string | undefined {
  const fault = utf8Fault(bytes);
  return fault && `it is not UTF-8: line ${fault.line}, column ${fault.column} has the byte ${fault.byte}`;
}
