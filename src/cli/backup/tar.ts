/** Archives in the tar format (POSIX.1-2001, pax), as streams: every system has a program that reads them. */

const TAR_BLOCK = 512;
/** Names and sizes beyond these need an extended header. */
const LONGEST_TAR_NAME = 100;
const LARGEST_ENTRY = 8 ** 11 - 1;

export type TarHeader = {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  readonly modified: number;
};

/** The header of a file. Its content follows, and then {@link padding}. */
export function tarHeader(header: TarHeader): Buffer {
  const { path, size, modified } = header;
  const extended: [string, string][] = [];
  if (Buffer.byteLength(path) > LONGEST_TAR_NAME || !/^[\x20-\x7e]*$/.test(path))
    extended.push(['path', path]);
  if (size > LARGEST_ENTRY) extended.push(['size', String(size)]);
  extended.push(['mtime', (modified / 1000).toFixed(6)]);
  const body = Buffer.concat(extended.map(([key, value]) => paxRecord(key, value)));
  const pax = Buffer.concat([
    headerBlock({ ...header, path: 'PaxHeader', size: body.length }, 'x'),
    body,
    padding(body.length),
  ]);
  return Buffer.concat([pax, headerBlock(header, '0')]);
}

/** `<length> <key>=<value>\n`, where the length counts itself. */
function paxRecord(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (String(length).length > String(rest).length) length += 1;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

function headerBlock({ path, size, mode, modified }: TarHeader, type: '0' | 'x'): Buffer {
  const block = Buffer.alloc(TAR_BLOCK);
  const octal = (value: number, at: number, length: number) =>
    block.write(
      `${Math.min(value, 8 ** (length - 1) - 1)
        .toString(8)
        .padStart(length - 1, '0')}\0`,
      at,
      'latin1',
    );
  block.write(path.replaceAll(/[^\x20-\x7e]/g, '_').slice(0, LONGEST_TAR_NAME), 0, 'latin1');
  octal(mode & 0o7777, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(Math.floor(modified / 1000), 136, 12);
  block.write('        ', 148, 'latin1');
  block.write(type, 156, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** The zeros between the end of a content and the next header. */
export function padding(size: number): Buffer {
  return Buffer.alloc((TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK);
}

/** What ends an archive. */
export const TAR_END = Buffer.alloc(2 * TAR_BLOCK);

/** A file of an archive; its content has to be read before the next one is asked for. */
export type TarEntry = TarHeader & { content(): AsyncGenerator<Buffer> };

/** An archive that cannot be read. */
export class TarError extends Error {}

/** The files of an archive that {@link tarHeader} has written. @throws TarError */
export async function* readTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const reader = new BlockReader(chunks);
  let extended = new Map<string, string>();
  for (;;) {
    const block = await reader.read(TAR_BLOCK);
    if (block === undefined) throw new TarError('The archive ends in the middle.');
    if (block.every((byte) => byte === 0)) return;
    checkSum(block);
    const type = String.fromCharCode(block[156] as number);
    const size = Number(extended.get('size') ?? octalAt(block, 124, 12));
    if (type === 'x') {
      extended = paxRecords(await reader.exactly(size));
      await reader.exactly(padding(size).length);
      continue;
    }
    if (type !== '0' && type !== '\0') throw new TarError('The archive has an entry that is not a file.');
    const modified = Number(extended.get('mtime') ?? octalAt(block, 136, 12)) * 1000;
    const path = extended.get('path') ?? textAt(block, 0, LONGEST_TAR_NAME);
    extended = new Map();
    let left = size;
    async function* content() {
      while (left > 0) {
        const chunk = await reader.some(left);
        left -= chunk.length;
        yield chunk;
      }
    }
    yield { path, size, mode: octalAt(block, 100, 8), modified, content };
    for await (const _ of content());
    await reader.exactly(padding(size).length);
  }
}

function checkSum(block: Buffer): void {
  const copy = Buffer.from(block);
  copy.write('        ', 148, 'latin1');
  const sum = copy.reduce((total, byte) => total + byte, 0);
  if (sum !== octalAt(block, 148, 8)) throw new TarError('The archive is damaged, or it is not a tar file.');
}

function textAt(block: Buffer, at: number, length: number): string {
  return block.toString('latin1', at, at + length).replace(/\0.*$/s, '');
}

function octalAt(block: Buffer, at: number, length: number): number {
  return Number.parseInt(textAt(block, at, length).trim() || '0', 8);
}

function paxRecords(body: Buffer): Map<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < body.length; ) {
    const length = Number.parseInt(body.toString('latin1', at, at + 20), 10);
    if (!(length > 0)) throw new TarError('The archive is damaged: a header cannot be read.');
    const record = body.toString('utf8', at, at + length);
    const [, key = '', value = ''] = /^\d+ ([^=]*)=([\s\S]*)\n$/.exec(record) ?? [];
    found.set(key, value);
    at += length;
  }
  return found;
}

/** Reads a stream in pieces of a wanted size. */
class BlockReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Exactly so many bytes; undefined at the end. */
  async read(size: number): Promise<Buffer | undefined> {
    while (this.#rest.length < size) {
      const next = await this.#chunks.next();
      if (next.done) return undefined;
      this.#rest = Buffer.concat([this.#rest, next.value]);
    }
    const piece = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(size);
    return piece;
  }

  async exactly(size: number): Promise<Buffer> {
    const piece = await this.read(size);
    if (piece === undefined) throw new TarError('The archive ends in the middle.');
    return piece;
  }

  /** Some bytes, at most so many, without putting chunks together. */
  async some(most: number): Promise<Buffer> {
    if (this.#rest.length === 0) {
      const next = await this.#chunks.next();
      if (next.done) throw new TarError('The archive ends in the middle.');
      this.#rest = next.value;
    }
    const piece = this.#rest.subarray(0, most);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }
}
