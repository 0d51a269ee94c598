/** The blocks of an area, compared with the records that they stand for. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Block, BlockOrder } from './block-order.ts';

const CLASSES = ['Person', 'Robot', 'Comet'];
const NUMBERS = Array.from({ length: 40 }, (_, id) => id);

/** A block of some records of each class, so that some blocks have none of a class. */
function block(id: number, seed: number): Block {
  const counts = new Map(
    CLASSES.map((name, n) => [name, (id * 7 + seed * 13 + n * 5) % 4] as const).filter(
      ([, count]) => count > 0,
    ),
  );
  const records = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const pid = id === 0 ? '' : `ex:${String((id * 17) % 41).padStart(2, '0')}`;
  return { id, pid, iri: '', counts, records };
}

/** The starts of the blocks of all selected records, in order. */
function startsOf(blocks: readonly Block[], classes: readonly string[] | undefined): string[] {
  const inOrder = blocks.toSorted((a, b) => (a.pid < b.pid ? -1 : 1));
  return inOrder.flatMap(({ pid, counts }) =>
    [...counts].flatMap(([name, count]) => (classes?.includes(name) === false ? [] : Array(count).fill(pid))),
  );
}

test('finds each record of each selection of classes in its block, also after blocks have changed', () => {
  const blocks = new BlockOrder([block(0, 0)]);
  const state = new Map<number, Block>([[0, block(0, 0)]]);
  const put = (changed: Block[]) => {
    for (const one of changed) state.set(one.id, one);
    blocks.put(changed);
    for (const classes of [undefined, ['Robot'], ['Person', 'Comet'], ['Absent']]) {
      const starts = startsOf([...state.values()], classes);
      assert.equal(blocks.total(classes), starts.length);
      for (const [offset, pid] of starts.entries()) {
        const { start, skip } = blocks.locate(classes, offset);
        assert.deepEqual([start.pid, skip], [pid, offset - starts.indexOf(pid)]);
        assert.deepEqual(blocks.before(classes, { pid, iri: '' }).count, starts.indexOf(pid));
      }
    }
  };
  put(NUMBERS.slice(0, 20).map((id) => block(id, 1)));
  for (let id = 2; id < 20; id++) put([block(id, id), block(0, id)]);
  put(NUMBERS.map((id) => block(id, 50)));
  for (let id = 1; id < 40; id++) put([block(id, id)]);
  for (const [id, one] of state) {
    for (const difference of [1, 1, -1] as const) {
      const changed = blocks.add(one, 'Robot', difference);
      state.set(id, changed);
    }
    put([]);
  }
});
