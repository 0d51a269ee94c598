/** Describes a change for a history, as JSON: the differences from the entry before it, and the record after it. */
import { canonicalJson, isJsonObject, type JsonValue, parseJson } from '../json.ts';
import { type Difference, recordDifferences } from './record-diff.ts';

/** Two states of a record as canonical JSON; undefined if there was none. */
export type RecordStep = {
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** Values of members with this name are masked; that one has changed is still visible. */
  readonly secret?: string | undefined;
};

/** Both as canonical JSON; the record is `null` for a delete. */
export type DescribedChange = { readonly changes: string; readonly record: string };

export function describeChange({ before, after, secret }: RecordStep): DescribedChange {
  const last = parsed(after);
  const differences = recordDifferences(parsed(before), last);
  if (secret === undefined) return { changes: textOf(differences), record: after ?? 'null' };
  return {
    changes: textOf(differences.map((difference) => maskDifference(difference, secret))),
    record: canonicalJson(mask(last ?? null, secret)),
  };
}

function parsed(json: string | undefined): JsonValue | undefined {
  return json === undefined ? undefined : parseJson(json);
}

function textOf(differences: readonly Difference[]): string {
  return canonicalJson(differences as unknown as JsonValue);
}

const MASK = '***';

function maskDifference(difference: Difference, secret: string): Difference {
  const isSecret = difference.path.endsWith(`/${secret}`);
  const hide = (value: JsonValue) => (isSecret ? MASK : mask(value, secret));
  return {
    ...difference,
    ...('before' in difference && { before: hide(difference.before) }),
    ...('after' in difference && { after: hide(difference.after) }),
  } as Difference;
}

function mask(value: JsonValue, secret: string): JsonValue {
  if (Array.isArray(value)) return value.map((one) => mask(one, secret));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === secret ? MASK : mask(inner, secret)]),
  );
}
