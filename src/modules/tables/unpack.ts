/** Unpacks workbooks, which are ZIP archives of XML. */
import { crc32 } from 'node:zlib';
import { Unzip, UnzipInflate } from 'fflate';
import { TableError, type TableLimits, TableTooLarge } from './limits.ts';

/** A workbook has a few parts for each sheet. */
const MOST_PARTS = 10_000;
/** Packed bytes become at most a thousand times as many at once. */
const PACKED_BYTES_AT_ONCE = 4096;

/** The XML parts of a workbook. Unpacks in small steps, because a damaged or hostile file may state other sizes than it has. */
export function unpack(bytes: Uint8Array, { unpacked }: TableLimits): Record<string, Uint8Array> {
  const parts: Record<string, Uint8Array> = Object.create(null);
  let total = 0;
  let count = 0;
  const unzip = new Unzip((file) => {
    count += 1;
    if (count > MOST_PARTS) throw new TableTooLarge(`The workbook has more than ${MOST_PARTS} parts.`);
    if (!/\.(xml|rels)$/.test(file.name)) return;
    const chunks: Uint8Array[] = [];
    file.ondata = (error, chunk, isLast) => {
      if (error) throw error;
      total += chunk.length;
      if (total > unpacked)
        throw new TableTooLarge(`The workbook unpacks to more than ${unpacked / 1024 / 1024} MiB.`);
      chunks.push(chunk);
      if (isLast) parts[file.name] = Buffer.concat(chunks);
    };
    file.start();
  });
  unzip.register(UnzipInflate);
  try {
    for (let at = 0; at < bytes.length; at += PACKED_BYTES_AT_ONCE) {
      const end = at + PACKED_BYTES_AT_ONCE;
      unzip.push(bytes.subarray(at, end), end >= bytes.length);
    }
  } catch (error) {
    if (error instanceof TableError) throw error;
    throw damaged();
  }
  requireWhole(parts, bytes);
  return parts;
}

function damaged(): TableError {
  return new TableError('The file is not a workbook: it is not a ZIP archive, or it is damaged.');
}

/** Refuses parts that are not as the directory of the archive says, and an archive that was cut off before it. */
function requireWhole(
  parts: Readonly<Record<string, Uint8Array>>,
  { buffer, byteOffset, length }: Uint8Array,
): void {
  if (Object.keys(parts).length === 0) return;
  const bytes = Buffer.from(buffer, byteOffset, length);
  const end = bytes.lastIndexOf('PK\x05\x06');
  if (end < 0 || end + DIRECTORY_END > length) throw damaged();
  for (let at = bytes.readUInt32LE(end + 16); at + ENTRY <= end && bytes.readUInt32LE(at) === ENTRY_MARK; ) {
    const [name, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const part = parts[bytes.toString('utf8', at + ENTRY, at + ENTRY + name)];
    if (part && crc32(part) !== bytes.readUInt32LE(at + 16)) throw damaged();
    at += ENTRY + name + extra + comment;
  }
}

/** Bytes of the end of the directory, and of an entry before its name (APPNOTE 4.3.12, 4.3.16). */
const DIRECTORY_END = 22;
const ENTRY = 46;
const ENTRY_MARK = 0x02014b50;
