/** The Turtle of a corpus: documents that are read, graphs that are written, and records that go there and back. */

import { canonicalJson, type JsonObject, type JsonValue } from '#linkml/json.ts';
import { asTurtleKeepsIt, hasSharedObjects } from '#linkml-test/as-turtle-keeps-it.ts';
import { isServiceError } from '../src/core/errors.ts';
import { FORMATS } from '../src/core/formats/formats.ts';
import type { Schema } from '../src/core/schema/schema.ts';
import { isIsomorphic } from '../test/support/isomorphic.ts';
import { sameValue } from './conformance-values.ts';

type Read = { valid: true; record: JsonObject } | { valid: false; problem: string };

/** The record of a Turtle case, read and checked. */
export function readTurtleCase(one: JsonObject, schema: Schema): Read {
  return read(one.input as string, one.class as string, schema);
}

function read(document: string, className: string, schema: Schema): Read {
  try {
    const checked = schema.check(className, FORMATS.ttl.parse(document, className, schema));
    if (checked.valid) return checked;
    return { valid: false, problem: checked.problems.map(({ msg }) => msg).join(' | ') };
  } catch (error) {
    if (isServiceError(error)) return { valid: false, problem: error.message };
    throw error;
  }
}

/**
 * Whether a stored record is written as the graph that the corpus expects, where it expects one, and comes back as it
 * was, except for what Turtle cannot express (`docs/turtle.md`).
 */
export function judgeGraph(
  record: JsonObject,
  className: string,
  expected: JsonValue | undefined,
  schema: Schema,
): { ok: boolean; why: string } {
  const document = FORMATS.ttl.serialize(canonicalJson(record), className, schema);
  if (typeof expected === 'string' && !isIsomorphic(document, expected)) {
    return { ok: false, why: `another graph:\n${document}\ninstead of\n${expected}` };
  }
  if (hasSharedObjects(record)) return { ok: true, why: '' };
  const back = read(document, className, schema);
  if (!back.valid) return { ok: false, why: `the own document is refused: ${back.problem}\n${document}` };
  const checked = schema.check(className, asTurtleKeepsIt(record, className, schema));
  const kept = checked.valid ? checked.record : record;
  const why = `comes back from Turtle as ${canonicalJson(back.record)} instead of ${canonicalJson(kept)}`;
  return { ok: sameValue(back.record, kept), why };
}
