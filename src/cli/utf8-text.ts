/**
 * Reads the texts of files and of standard input, which have to be UTF-8. A decoder that puts U+FFFD in place of other
 * bytes would have a record stored without the letters that its file has.
 */
import { createReadStream, readFileSync } from 'node:fs';
import { utf8Fault } from '#linkml/position.ts';
import { ServiceError } from '../core/errors.ts';

/** The text of a file. @throws ServiceError `body_malformed` if it is not UTF-8 */
export function readText(file: string): string {
  const bytes = readFileSync(file);
  const fault = utf8Fault(bytes);
  if (fault) throw notUtf8(file, `line ${fault.line}, column ${fault.column}`, fault.byte);
  return bytes.toString('utf8');
}

/** The text of a file, or of standard input for `-`, as it is read. @throws ServiceError `body_malformed` */
export async function* textChunks(source: string, highWaterMark?: number): AsyncGenerator<string> {
  const chunks: AsyncIterable<Uint8Array> =
    source === '-' ? process.stdin : createReadStream(source, { highWaterMark });
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let lines = 0;
  const decode = (chunk: Uint8Array, stream: boolean) => {
    try {
      return decoder.decode(chunk, { stream });
    } catch {
      const { line = 1, byte = 'a character that is not complete' } = utf8Fault(withoutRest(chunk)) ?? {};
      throw notUtf8(source === '-' ? 'standard input' : source, `line ${lines + line}`, byte);
    }
  };
  for await (const chunk of chunks) {
    const text = decode(chunk, true);
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
    if (text !== '') yield text;
  }
  decode(new Uint8Array(), false);
}

/** All of standard input. @throws ServiceError `body_malformed` */
export async function readInput(): Promise<string> {
  return (await Array.fromAsync(textChunks('-'))).join('');
}

/** A chunk without the rest of a character that began in the one before. */
function withoutRest(chunk: Uint8Array): Uint8Array {
  let start = 0;
  while (start < 3 && ((chunk[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return chunk.subarray(start);
}

function notUtf8(file: string, where: string, found: string): ServiceError {
  const message = `${file}: ${where}: expected UTF-8, found ${found.replace(/^0x/, 'the byte 0x')}. Save the file as UTF-8.`;
  return new ServiceError('body_malformed', message);
}
