/**
 * Unpacks ZIP archives (APPNOTE 6.3). The directory is checked before any part is unpacked, and no part
 * becomes larger than the directory says: what is read afterwards has a bound.
 */
import { Inflate } from 'fflate';
import { crc32 } from './crc32.ts';
import { MIB, TableError, type TableLimits, TableTooLarge } from './limits.ts';

/** A workbook has a few parts for each sheet. */
const MOST_PARTS = 10_000;
/** The most bytes that one byte of a deflated part stands for, and bytes that its frame takes. */
const MOST_RATIO = 1032;
const FRAME = 64;
/** Packed bytes that are unpacked at once. */
const PACKED_AT_ONCE = 4096;

const STORED = 0;
const DEFLATED = 8;
const ENCRYPTED = 1;

/** An entry of the directory. */
type Entry = {
  readonly name: string;
  readonly flags: number;
  readonly method: number;
  readonly checksum: number;
  readonly packed: number;
  readonly size: number;
  /** Where the part begins, with a header of its own. */
  readonly at: number;
};

/**
 * The parts of an archive, by name.
 *
 * @param isNeeded whether a part is read; the others are not unpacked
 * @throws TableError for an archive that is damaged or encrypted, TableTooLarge
 */
export function unpack(
  bytes: Uint8Array,
  { unpacked }: Pick<TableLimits, 'unpacked'>,
  isNeeded: (name: string) => boolean,
): Map<string, Uint8Array> {
  const entries = entriesOf(bytes).filter(({ name }) => isNeeded(name));
  let total = 0;
  for (const { flags, method, packed, size } of entries) {
    if (flags & ENCRYPTED) throw encrypted();
    const isPossible =
      method === STORED ? size === packed : method === DEFLATED && size <= packed * MOST_RATIO + FRAME;
    if (!isPossible) throw damaged();
    total += size;
    if (total > unpacked)
      throw new TableTooLarge(`The workbook unpacks to more than ${Math.round(unpacked / MIB)} MiB.`);
  }
  return new Map(entries.map((entry) => [entry.name, partOf(bytes, entry)]));
}

/** A file of XLS is a compound file (MS-CFB). */
export function isCompound(bytes: Uint8Array): boolean {
  return [0xd0, 0xcf, 0x11, 0xe0].every((byte, index) => bytes[index] === byte);
}

export function encrypted(): TableError {
  return new TableError('The workbook is encrypted. Save it without a password.');
}

export function damaged(): TableError {
  return new TableError('The file is not a workbook: it is not a ZIP archive, or it is damaged.');
}

const DIRECTORY_END = { mark: 0x06054b50, length: 22 };
const LARGE_END = { mark: 0x06064b50, length: 56, locatorMark: 0x07064b50, locatorLength: 20 };
const ENTRY = { mark: 0x02014b50, length: 46 };
const PART = { mark: 0x04034b50, length: 30 };
/** Stands for a number that is in a field of 64 bits. */
const IS_LARGE = 0xffffffff;
const LARGE_FIELD = 1;

/** The directory, which is at the end of the archive. @throws TableError */
function entriesOf(bytes: Uint8Array): Entry[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = endOf(view);
  const { count, length, stated, at } = directoryAt(view, end);
  if (count > MOST_PARTS) throw new TableTooLarge(`The workbook has more than ${MOST_PARTS} parts.`);
  // Other bytes may be in front of the archive; positions do not count them.
  const before = at - length - stated;
  if (before < 0) throw damaged();
  const entries: Entry[] = [];
  for (let from = at - length; from < at; ) {
    if (from + ENTRY.length > at || view.getUint32(from, true) !== ENTRY.mark) throw damaged();
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) =>
      view.getUint16(from + field, true),
    ) as [number, number, number];
    const extra = from + ENTRY.length + nameLength;
    const next = extra + extraLength + commentLength;
    if (next > at) throw damaged();
    const [size, packed, offset] = largeNumbers(view, extra, extra + extraLength, [
      view.getUint32(from + 24, true),
      view.getUint32(from + 20, true),
      view.getUint32(from + 42, true),
    ]) as [number, number, number];
    const name = decoder.decode(bytes.subarray(from + ENTRY.length, extra));
    entries.push({
      name: name.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, ''),
      flags: view.getUint16(from + 8, true),
      method: view.getUint16(from + 10, true),
      checksum: view.getUint32(from + 16, true),
      packed,
      size,
      at: offset + before,
    });
    if (entries.length > MOST_PARTS)
      throw new TableTooLarge(`The workbook has more than ${MOST_PARTS} parts.`);
    from = next;
  }
  return entries;
}

const decoder = new TextDecoder();

/** The position of the last record that ends a directory; a comment may follow it. @throws TableError */
function endOf(view: DataView): number {
  const last = view.byteLength - DIRECTORY_END.length;
  for (let at = last; at >= Math.max(0, last - 0xffff); at -= 1)
    if (view.getUint32(at, true) === DIRECTORY_END.mark) return at;
  throw damaged();
}

/** The number of entries, the length of the directory, where it begins by its own account, and where it ends. */
function directoryAt(view: DataView, end: number) {
  const small = {
    count: view.getUint16(end + 10, true),
    length: view.getUint32(end + 12, true),
    stated: view.getUint32(end + 16, true),
    at: end,
  };
  const locator = end - LARGE_END.locatorLength;
  if (small.stated !== IS_LARGE || locator < 0) return small;
  if (view.getUint32(locator, true) !== LARGE_END.locatorMark) return small;
  const large = locator - LARGE_END.length;
  if (large < 0 || view.getUint32(large, true) !== LARGE_END.mark) throw damaged();
  const number = (field: number) => Number(view.getBigUint64(large + field, true));
  return { count: number(32), length: number(40), stated: number(48), at: large };
}

/** Numbers of an entry; those that do not fit are in an extra field, in this order. */
function largeNumbers(view: DataView, from: number, end: number, numbers: readonly number[]): number[] {
  if (!numbers.includes(IS_LARGE)) return [...numbers];
  for (let at = from; at + 4 <= end; at += 4 + view.getUint16(at + 2, true)) {
    if (view.getUint16(at, true) !== LARGE_FIELD) continue;
    let field = at + 4;
    return numbers.map((number) => {
      if (number !== IS_LARGE) return number;
      if (field + 8 > end) throw damaged();
      field += 8;
      return Number(view.getBigUint64(field - 8, true));
    });
  }
  throw damaged();
}

function partOf(bytes: Uint8Array, { method, checksum, packed, size, at }: Entry): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (at + PART.length > bytes.length || view.getUint32(at, true) !== PART.mark) throw damaged();
  const start = at + PART.length + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  if (start + packed > bytes.length) throw damaged();
  const content = bytes.subarray(start, start + packed);
  const part = method === STORED ? content : inflated(content, size);
  if (crc32(part) !== checksum) throw damaged();
  return part;
}

function inflated(packed: Uint8Array, size: number): Uint8Array {
  const part = new Uint8Array(size);
  let length = 0;
  const inflate = new Inflate((chunk) => {
    if (length + chunk.length > size) throw damaged();
    part.set(chunk, length);
    length += chunk.length;
  });
  try {
    for (let at = 0; at < packed.length; at += PACKED_AT_ONCE)
      inflate.push(packed.subarray(at, at + PACKED_AT_ONCE), at + PACKED_AT_ONCE >= packed.length);
  } catch {
    throw damaged();
  }
  if (length !== size) throw damaged();
  return part;
}
