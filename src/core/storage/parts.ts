/**
 * Long values, such as files, as rows of a table with the columns key, number of the part, and bytes. They are written and read
 * some parts at a time, so that requests have their turn in between.
 */
import type { Draft } from './database.ts';
import type { Reader } from './reader.ts';

/** A table of parts and the column of its keys. */
export type PartTable = { readonly name: string; readonly key: string };

export const PART_BYTES = 64 * 1024;
const PARTS_AT_ONCE = 16;
/** The bytes that are to be written at once. */
export const WRITTEN_AT_ONCE = PART_BYTES * PARTS_AT_ONCE;

/** Adds bytes as parts, unless they are there. @param at where they begin in the value: at the start of a part */
export function addParts(
  draft: Draft,
  { name, key: column }: PartTable,
  key: string,
  at: number,
  bytes: Uint8Array,
): void {
  for (let from = 0; from < bytes.length; from += PART_BYTES)
    draft.run(
      `INSERT INTO ${name} (${column}, part, bytes) VALUES ($1, $2, $3) ON CONFLICT (${column}, part) DO NOTHING`,
      [key, (at + from) / PART_BYTES, new Uint8Array(bytes.subarray(from, from + PART_BYTES))],
    );
}

/** Reads the bytes of a range, with their positions in the value. */
export async function* readParts(
  reader: Reader,
  { name, key: column }: PartTable,
  key: string,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<{ readonly at: number; readonly bytes: Uint8Array }> {
  for (let first = Math.floor(from / PART_BYTES); first * PART_BYTES < to; first += PARTS_AT_ONCE) {
    const rows = await reader.tuples<[part: number, bytes: Uint8Array]>(
      `SELECT part, bytes FROM ${name} WHERE ${column} = $1 AND part >= $2 AND part < $3 ORDER BY part`,
      [key, first, first + PARTS_AT_ONCE],
    );
    for (const [part, bytes] of rows) {
      const start = part * PART_BYTES;
      const cut = Math.max(0, from - start);
      if (start < to) yield { at: start + cut, bytes: bytes.subarray(cut, to - start) };
    }
  }
}
