import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { identifiedClasses } from '#linkml-test/open-schema.ts';
import { assertComeBack } from '#linkml-test/round-trip.ts';
import { openSchema } from '../../src/core/schema/schema.ts';
import { seededFaults } from '../support/seeded-faults.ts';
import { propertyRuns, repeated, test } from '../support/tier.ts';

const schema = await openSchema(resolve(import.meta.dirname, '../../examples/laboratory/schema.yaml'));

for (const className of identifiedClasses(schema))
  repeated(`generated records of ${className} come back from Turtle as they were`, () =>
    assertComeBack(schema, className, propertyRuns(30, 100)),
  );

const FAULTS = 200;
const SEED = 20240229;

test(`of ${FAULTS} records with one fault each, the first message names the path and the cause of 95 in 100`, () => {
  const faults = seededFaults(schema, FAULTS, SEED);
  assert.equal(faults.length, FAULTS);
  const missed: string[] = [];
  for (const { kind, className, record, path, says } of faults) {
    const checked = schema.check(className, record);
    const first = checked.valid ? undefined : checked.problems[0];
    const right = first !== undefined && first.loc.join('.') === path.join('.') && says.test(first.msg);
    if (!right)
      missed.push(
        `${kind} in ${className} at ${path.join('.')}: ${first ? `${first.loc.join('.')}: ${first.msg}` : 'accepted'}`,
      );
  }
  assert.ok(
    missed.length <= FAULTS * 0.05,
    `${FAULTS - missed.length} of ${FAULTS}; missed:\n${missed.join('\n')}`,
  );
});
