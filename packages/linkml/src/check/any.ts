/** Values of `linkml:Any`: taken as they are, as long as they can be stored. */
import { isJsonObject, type JsonObject, type JsonValue, Numeral, setMember } from '../json.ts';
import { jsonForm } from './json-form.ts';
import {
  DEEPEST,
  entry,
  inside,
  type RecordPath,
  type Run,
  refuseSurrogate,
  reportProblem,
  reportUnexpected,
} from './report.ts';

/** The canonical form of any JSON value: keys sorted, members that are null dropped. */
export function copyAny(value: JsonValue, at: RecordPath, run: Run): JsonValue | undefined {
  if (typeof value === 'string' && !value.isWellFormed()) return refuseSurrogate(at, run);
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value))
    return value;
  const form = jsonForm(value);
  if (!Object.is(form, value)) return copyAny(form, at, run);
  if (typeof value !== 'object') return reportUnexpected(run, 'any_type', at, value, 'a value of JSON');
  if (at.depth > DEEPEST) return reportProblem(run, 'too_deep', at, `nested deeper than ${DEEPEST} levels.`);
  if (Array.isArray(value)) {
    const members = value.map((member, index) => copyAny(member, inside(at, index), run));
    return members.includes(undefined) ? undefined : (members as JsonValue[]);
  }
  if (value instanceof Numeral && /[.e]/i.test(value.source) && !Number.isFinite(Number(value.source)))
    return reportUnexpected(run, 'any_type', at, value, 'a number that a double can hold');
  if (!isJsonObject(value)) return value;
  const result: JsonObject = {};
  let complete = true;
  for (const key of Object.keys(value).sort()) {
    const member = value[key] as JsonValue;
    if (member === null || member === undefined) continue;
    const copy = copyAny(member, entry(at, key), run);
    if (copy === undefined) complete = false;
    else setMember(result, key, copy);
  }
  return complete ? result : undefined;
}
