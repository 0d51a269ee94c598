import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Step } from '../database.ts';
import { addPart, partsOf, type SentStep } from './step-parts.ts';

const area = { id: 7, path: 'c/curated' };
const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(model, { noNullPrototype: true });
const text = fc.constantFrom('', 'short', 'x'.repeat(300_000));
const change = fc.oneof(
  text.map((json) => ({ put: { iri: 'i', pid: 'p', className: 'C', json } })),
  fc.constant({ delete: 'i' }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  record({
    sql: fc.constantFrom('INSERT a', 'INSERT b'),
    values: fc.array(fc.oneof(text, fc.integer(), fc.constant({ step: 0, change: 0 }))),
  }),
  record({
    area: fc.constant(area),
    changes: fc.array(change, { maxLength: 1200 }),
    by: fc.constant(null),
  }),
  fc.constant({ area: { id: 7, path: 'a' }, derived: { of: 'texts', span: { from: 1, to: 2 } } } as const),
);

test('steps that are sent in parts arrive as they were, and no part is long', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const arrived: Step[] = [];
      for (const part of partsOf(steps)) {
        assert.ok(sizeOf(part) <= 500, `${sizeOf(part)} steps in a part`);
        addPart(arrived, structuredClone(part));
      }
      assert.deepEqual(arrived, steps);
    }),
    { numRuns: 50 },
  );
});

function sizeOf(part: readonly SentStep[]): number {
  return part.reduce(
    (sum, one) => sum + ('rows' in one ? one.rows.length : 'changes' in one ? one.changes.length : 0),
    0,
  );
}
