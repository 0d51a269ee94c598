/**
 * What the blocks of an area in PostgreSQL cost in the memory of an instance, up to 10^9 records.
 *
 *     node --expose-gc --max-old-space-size=4000 bench/blocks.ts
 *
 * A simulation: the blocks are made, not loaded. Prints the median time to find the block of an offset, among all
 * records and among those of one class of two, and the memory.
 */
import type { Block } from '../src/storage/block-order.ts';
import { BLOCK_SIZE, Blocks } from '../src/storage/postgresql/blocks.ts';

const ROBOTS = 112;

function block(id: number): Block {
  const name = String(id).padStart(9, '0');
  const place = id === 0 ? { pid: '', iri: '' } : { pid: `ex:${name}`, iri: `https://example.org/${name}` };
  const counts = new Map([
    ['Person', BLOCK_SIZE - ROBOTS],
    ['Robot', ROBOTS],
  ]);
  return { id, ...place, counts, records: BLOCK_SIZE };
}

function median(times: number, work: () => unknown): string {
  const measured = Array.from({ length: times }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return (measured.sort((a, b) => a - b)[times >> 1] as number).toFixed(3);
}

console.log(['records', 'blocks', 'ms of all', 'ms of a class', 'MB'].join('\t'));
for (const count of [2_000, 20_000, 200_000, 2_000_000]) {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const blocks = new Blocks();
  blocks.apply(
    Array.from({ length: count }, (_, id) => block(id)),
    1,
  );
  globalThis.gc?.();
  const memory = (process.memoryUsage().heapUsed - before) / 1e6;
  const all = median(60, () => blocks.locate(undefined, Math.floor(Math.random() * count * BLOCK_SIZE)));
  const ofClass = median(60, () => blocks.locate(['Robot'], Math.floor(Math.random() * count * ROBOTS)));
  console.log([count * BLOCK_SIZE, count, all, ofClass, Math.round(memory)].join('\t'));
}
