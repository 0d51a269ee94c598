/** Archives, as ZIP programs and downloads of one file read them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, inflateRawSync } from 'node:zlib';
import { unzipSync } from 'fflate';
import type { Draft } from '../../core/storage/database.ts';
import { ArchiveWriter } from './archive.ts';

const TIME = new Date('2026-01-02T03:04:06');
/** The bytes behind a compressed file, before its checksum: the signature of the descriptor. */
const SIGNATURE = 4;

test('lines that are longer than the memory that is used again are whole, in the archive and alone', async () => {
  const parts: Uint8Array[] = [];
  const draft = { run: (_: string, values: readonly unknown[]) => parts.push(values[2] as Uint8Array) };
  const writer = new ArchiveWriter('attempt', TIME, async (add) => add(draft as unknown as Draft));
  // Short ones, one with three bytes a character, one that nothing is long enough for, and short ones again.
  const short = Array.from({ length: 20_000 }, (_, n) => `line ${n}`);
  const lines = [...short, '語'.repeat(70_000), 'x'.repeat(300_000), ...short];
  const file = await writer.add('lines.txt', lines);
  const empty = await writer.add('empty.txt', []);
  const { size } = await writer.end();
  const archive = Buffer.concat(parts);
  assert.equal(archive.length, size);
  const content = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  assert.deepEqual(Object.keys(unzipSync(archive)), ['lines.txt', 'empty.txt']);
  assert.ok(content.equals(unzipSync(archive)['lines.txt']!));
  assert.ok(content.equals(inflateRawSync(archive.subarray(file.from, file.to))));
  assert.equal(archive.readUInt32LE(file.to + SIGNATURE), crc32(content));
  assert.deepEqual([file.size, empty.size], [content.length, 0]);
});
