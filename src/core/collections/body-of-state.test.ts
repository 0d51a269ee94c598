import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyOfPresent, bodyOfState } from './body-of-state.ts';
import { PageCache } from './page-cache.ts';

/** An area that changes with each of the first makes. */
function changing(times: number) {
  const pages = new PageCache().pages();
  let revision = 1;
  let made = 0;
  return {
    pages,
    made: () => made,
    reads: { state: async () => ({ revision: `${revision}`, cacheKey: `${revision}` }) },
    async make() {
      made++;
      if (made <= times) revision++;
      return { body: Buffer.from(`made ${made}`) };
    },
  };
}

test('a body is made once, and says whether its area has stayed', async () => {
  const area = changing(1);
  const first = await bodyOfState(area, area.reads, 'key', area.make);
  assert.deepEqual([first.revision, first.isSteady, area.made()], ['1', false, 1]);
  const next = await bodyOfState(area, area.reads, 'key', area.make);
  assert.deepEqual([next.revision, next.isSteady, area.made()], ['2', true, 2]);
  const known = await bodyOfState(area, area.reads, 'key', area.make);
  assert.deepEqual([known.body, area.made()], [next.body, 2], 'it is remembered');
});

test('what is of the present alone is made at most twice, and names no revision if the area has changed again', async () => {
  for (const [times, made, revision] of [
    [0, 1, '1'],
    [1, 2, '2'],
    [9, 2, undefined],
  ] as const) {
    const area = changing(times);
    const found = await bodyOfPresent(area, area.reads, 'key', area.make);
    assert.deepEqual([area.made(), found.revision], [made, revision]);
  }
});
