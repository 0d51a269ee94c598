/** Pages at any offset, in any order and while records come and go, against the same list read from its beginning. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openStore } from './backends.ts';
import { BY } from './contract/subject.ts';
import { Marks } from './marks.ts';

const folder = mkdtempSync(join(tmpdir(), 'accession-marks-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('the nearest mark is the last one at or before a position, of the same classes', () => {
  const marks = new Marks();
  const place = (pid: string) => ({ pid, iri: pid });
  for (const position of [300, 100, 200, 210]) marks.add(undefined, position, place(String(position)));
  assert.equal(marks.nearest(undefined, 99), undefined);
  assert.deepEqual(marks.nearest(undefined, 100), { start: place('100'), skip: 0 });
  assert.deepEqual(marks.nearest(undefined, 299), { start: place('200'), skip: 99 });
  assert.deepEqual(marks.nearest(undefined, 1000), { start: place('300'), skip: 700 });
  assert.equal(marks.nearest(['A'], 300), undefined);
});

test('a page is the same whatever pages were read before, also after records were added and deleted', async () => {
  const store = await openStore({ type: 'sqlite' }, folder, {
    expand: (pid) => pid,
    schemaTypeOf: () => undefined,
  });
  const recordOf = (n: number) => {
    const pid = `ex:${String(n).padStart(5, '0')}`;
    return { pid, iri: pid, className: n % 3 === 0 ? 'A' : 'B', json: `{"pid":"${pid}"}` };
  };
  await store.write(
    Array.from({ length: 3000 }, (_, i) => ({ put: recordOf(2 * i) })),
    BY,
  );
  for (let round = 0; round < 5; round++) {
    for (const classes of [undefined, ['A'], ['A', 'B']]) {
      const all: string[] = [];
      for await (const { pid } of store.scan({ classes })) all.push(pid);
      for (let i = 0; i < 60; i++) {
        const offset = (i * 7919 + round * 131) % (all.length + 20);
        const page = await store.list({ classes }, { offset, limit: 50 });
        assert.deepEqual(
          page.map(({ pid }) => pid),
          all.slice(offset, offset + 50),
        );
      }
    }
    // Before, behind and between the places that were read.
    const gone = [round * 2, 1000 + round * 40, 5990 - round * 2].map((n) => ({ delete: recordOf(n).iri }));
    const added = [1, 1001, 3001, 5997].map((n) => ({ put: recordOf(n + round * 2) }));
    await store.write([...gone, ...added, { put: recordOf(200) }], BY);
  }
  await store.close();
});
