/** The table of merge-cases.yaml: differences and merges as curators would describe them. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { canonicalJson, isJsonObject, type JsonObject, parseJson } from '#linkml/json.ts';
import { openSchema } from '../../core/schema/schema.ts';
import { type Claim, claimOf } from './claim.ts';
import { type ClaimDifference, claimDifferences } from './differences.ts';
import { mergeRecords, type Side } from './merge.ts';
import { withSubmissionTags } from './submission-tags.ts';

type Given = 'none' | 'unknown' | JsonObject;
type Case = {
  name: string;
  base: Given;
  curated: Given;
  submitted: Given;
  same?: boolean;
  differences?: Record<string, string>;
  take?: Record<string, Side>;
  merged?: JsonObject;
  conflicts?: string[];
  refused?: string[];
};

const TAGS = { submitterId: 'sub:by', submissionTime: 'https://example.org/tags/at' };
const schema = await openSchema(join(import.meta.dirname, '../../../test/support/values.schema.yaml'));
const cases = parse(readFileSync(join(import.meta.dirname, 'merge-cases.yaml'), 'utf8')) as Case[];

/** A record as the table writes it. */
function recordOf(given: JsonObject): { className: string; record: JsonObject } {
  const { class: className = 'Person', ...slots } = given;
  return {
    className: String(className),
    record: parseJson(JSON.stringify({ pid: 'ex:p', ...slots })) as JsonObject,
  };
}

function claim(given: Given): Claim | null {
  return isJsonObject(given) ? claimOf(schema, recordOf(given), TAGS) : null;
}

/** `[#c]` in the table stands for the digest of the string `c`. */
function withDigests(path: string): string {
  return path.replace(/\[#(\w+)\]/g, (_, text: string) => {
    const digest = createHash('sha256').update(JSON.stringify(text)).digest('hex');
    return `[#${digest.slice(0, 12)}]`;
  });
}

function inWords({ path, kind, changed_by, conflict }: ClaimDifference): [string, string] {
  return [path, `${kind} by ${changed_by}${conflict ? ', conflict' : ''}`];
}

test('the table has at least 80 cases, each with its own name', () => {
  assert.ok(cases.length >= 80, `${cases.length} cases`);
  assert.equal(new Set(cases.map(({ name }) => name)).size, cases.length);
});

for (const one of cases) {
  test(one.name, () => {
    const base = one.base === 'unknown' ? undefined : claim(one.base);
    const sides = { base, curated: claim(one.curated), submitted: claim(one.submitted) };
    const found = claimDifferences(sides);
    const isSame = sides.curated?.digest === sides.submitted?.digest;
    assert.equal(isSame, found.length === 0, 'equal digests if and only if no differences');
    if (one.same !== undefined) assert.equal(isSame, one.same);
    if (one.differences) {
      const expected = Object.entries(one.differences).map(([path, words]) => [withDigests(path), words]);
      assert.deepEqual(Object.fromEntries(found.map(inWords)), Object.fromEntries(expected));
    }
    const merge = mergeRecords(schema, sides, one.take);
    if (one.refused) assert.deepEqual(merge, { kind: 'unknown_paths', paths: one.refused });
    if (one.conflicts) {
      assert.ok(merge.kind === 'conflicts', merge.kind);
      assert.deepEqual(
        merge.differences.map(({ path }) => path),
        one.conflicts,
      );
    }
    if (one.merged) {
      assert.ok(merge.kind === 'merged' && merge.result, JSON.stringify(merge));
      const expected = recordOf(one.merged);
      const from = {
        submitted: recordOf(one.submitted as JsonObject).record,
        curated: isJsonObject(one.curated) ? recordOf(one.curated).record : undefined,
      };
      const record = withSubmissionTags(schema, merge.result.record, from, TAGS);
      assert.equal(canonicalJson(record), canonicalJson(expected.record));
      assert.equal(merge.result.className, expected.className);
    }
  });
}
