/** Describes a change for a history, as JSON: the differences from the entry before it, and the record after it. */
import {
  canonicalJson,
  isJsonObject,
  type JsonValue,
  parseJson,
  pointerKeys,
  pointerSegment,
} from '#linkml/json.ts';
import { masked, type Shown, shownIn } from '../config/secrets.ts';

/** Two states of a record as canonical JSON; undefined if there was none. */
export type RecordStep = {
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Masks the values that are not shown; that one has changed is still visible. */
  readonly masks?: { readonly shown: Shown | undefined } | undefined;
};

/** Both as canonical JSON; the record is `null` for a delete. */
export type DescribedChange = { readonly changes: string; readonly record: string };

export function describeChange({ before, after, masks }: RecordStep): DescribedChange {
  const last = parsed(after);
  const differences = recordDifferences(parsed(before), last);
  if (masks === undefined) return { changes: textOf(differences), record: after ?? 'null' };
  return {
    changes: textOf(differences.map((difference) => maskDifference(difference, masks.shown))),
    record: canonicalJson(masked(last ?? null, masks.shown)),
  };
}

function parsed(json: string | undefined): JsonValue | undefined {
  return json === undefined ? undefined : parseJson(json);
}

function textOf(differences: readonly RecordDifference[]): string {
  return canonicalJson(differences as unknown as JsonValue);
}

function maskDifference(difference: RecordDifference, shown: Shown | undefined): RecordDifference {
  const there = pointerKeys(difference.path).reduce(shownIn, shown);
  return {
    ...difference,
    ...('before' in difference && { before: masked(difference.before, there) }),
    ...('after' in difference && { after: masked(difference.after, there) }),
  } as RecordDifference;
}

/** One difference; `path` is a JSON Pointer (RFC 6901), empty for the record as a whole. */
export type RecordDifference =
  | { readonly op: 'add'; readonly path: string; readonly after: JsonValue }
  | { readonly op: 'remove'; readonly path: string; readonly before: JsonValue }
  | { readonly op: 'replace'; readonly path: string; readonly before: JsonValue; readonly after: JsonValue };

/**
 * The differences between two states of a record, in the order of the keys; undefined is a missing record. Lists are
 * compared place by place, after what is equal at their beginnings and ends is set aside: an item that was put into the
 * middle is one difference.
 */
export function recordDifferences(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path = '',
): RecordDifference[] {
  if (before === undefined) return after === undefined ? [] : [{ op: 'add', path, after }];
  if (after === undefined) return [{ op: 'remove', path, before }];
  if (Array.isArray(before) && Array.isArray(after)) return inLists(before, after, path);
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    return keys.flatMap((key) =>
      recordDifferences(own(before, key), own(after, key), `${path}/${pointerSegment(key)}`),
    );
  }
  return isEqual(before, after) ? [] : [{ op: 'replace', path, before, after }];
}

function inLists(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  path: string,
): RecordDifference[] {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isEqual(before[start], after[start])) start++;
  let end = 0;
  while (end < shorter - start && isEqual(before.at(-1 - end), after.at(-1 - end))) end++;
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  return Array.from({ length: Math.max(removed.length, added.length) }, (_, i) =>
    recordDifferences(removed[i], added[i], `${path}/${start + i}`),
  ).flat();
}

function isEqual(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b));
}

function own(object: { [key: string]: JsonValue }, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}
