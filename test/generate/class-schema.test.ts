/** A class as a Standard Schema: tRPC, which accepts schemas of zod and others, accepts it. */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { initTRPC, TRPCError } from '@trpc/server';
import { openSchema } from '../../src/core/schema/schema.ts';
import { openElements } from '../support/open-text.ts';

type Quantity = { quantity_kind?: string; number: number; unit?: string };

const schema = await openSchema(resolve(import.meta.dirname, '../../examples/laboratory/schema.yaml'));

test('a procedure of tRPC takes a class as its input', async () => {
  const t = initTRPC.create();
  const router = t.router({
    double: t.procedure.input(schema.for<Quantity>('Quantity')).query(({ input }) => 2 * input.number),
  });
  const caller = router.createCaller({});
  assert.equal(await caller.double({ number: 21 }), 42);
  await assert.rejects(
    // @ts-expect-error: the type of the class is the type of the argument
    caller.double({ number: 'many' }),
    (error) =>
      error instanceof TRPCError &&
      error.code === 'BAD_REQUEST' &&
      /number: found "many", expected a number/.test(error.message),
  );
});

test('a class has the types of the specifications, and their results', () => {
  const quantity = schema.for<Quantity>('Quantity', { strict: true });
  const standard: StandardSchemaV1<Quantity> & StandardJSONSchemaV1<Quantity> = quantity;
  assert.deepEqual(standard['~standard'].validate({ number: 5, unit: 'm' }), {
    value: { number: 5, unit: 'm' },
  });
  assert.deepEqual(standard['~standard'].validate({ number: '5' }), {
    issues: [{ message: 'number: found "5", expected a number.', path: ['number'] }],
  });
  const { jsonSchema } = standard['~standard'];
  assert.deepEqual(jsonSchema.input({ target: 'draft-2020-12' }), schema.jsonSchema('Quantity'));
  assert.throws(() => jsonSchema.output({ target: 'draft-04' }), /draft-2020-12/);
  assert.throws(() => schema.for('Quantty'), /has no class Quantty. Did you mean Quantity\?/);
});

test('numbers of a typed record are numbers, those of an untyped one keep their digits', async () => {
  const { for: ofClass, check } = await openElements(
    'classes: {P: {attributes: {n: {range: float}, all: {range: integer, multivalued: true}}}}',
  );
  const given = { n: 5, all: ['12345678901234567890'] };
  const typed = ofClass<{ n: number; all: number[] }>('P').check(given);
  assert.deepEqual(typed, { valid: true, record: { all: [12345678901234567000], n: 5 } });
  const untyped = check('P', given);
  assert.equal(JSON.stringify(untyped), '{"valid":true,"record":{"all":[12345678901234567890],"n":5.0}}');
});
