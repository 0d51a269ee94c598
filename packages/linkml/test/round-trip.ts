/** The way of a record to Turtle and back, as a property. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { canonicalJson, type JsonObject } from '../src/json.ts';
import type { LinkmlSchema } from '../src/linkml.ts';
import { readTurtle } from '../src/turtle/read/read-turtle.ts';
import { writeTurtle } from '../src/turtle/write/write-turtle.ts';
import { arbitraryRecord } from './arbitrary-record.ts';
import { asTurtleKeepsIt, hasSharedObjects } from './as-turtle-keeps-it.ts';

export function there(record: JsonObject, className: string, schema: LinkmlSchema): string {
  return writeTurtle(canonicalJson(record), className, schema);
}

export function back(document: string, className: string, schema: LinkmlSchema): JsonObject {
  const checked = schema.check(className, readTurtle(document, className, schema));
  assert.ok(checked.valid, `what was written is not valid: ${JSON.stringify(checked)}\n${document}`);
  return checked.record;
}

/** Generated records of a class come back as they were, but for what Turtle cannot carry. */
export function assertComeBack(schema: LinkmlSchema, className: string, numRuns: number): void {
  fc.assert(
    fc.property(arbitraryRecord(schema, className), (record) => {
      fc.pre(!hasSharedObjects(record));
      const document = there(record, className, schema);
      const returned = back(document, className, schema);
      const kept = schema.check(className, asTurtleKeepsIt(record, className, schema));
      assert.ok(kept.valid, JSON.stringify(kept));
      assert.equal(canonicalJson(returned), canonicalJson(kept.record), document);
      const again = there(returned, className, schema);
      assert.equal(there(back(again, className, schema), className, schema), again);
    }),
    { numRuns },
  );
}
