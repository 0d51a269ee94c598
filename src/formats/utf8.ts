/** Where bytes are not UTF-8: a lenient decoder has U+FFFD there, and the character of the author is lost. */
import { positionAt } from './position.ts';

const lenient = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

type Utf8Fault = { readonly line: number; readonly column: number; readonly byte: string };

/** The first bytes that are not UTF-8. U+FFFD itself is a character like any other. */
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
