/** Entity tags of JSON values that requests replace, and preconditions on them (RFC 9110, 13.1). Those of records are in `records/condition.ts`. */
import { hash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '#linkml/json.ts';

/** The state that a request replaces: it has one of some entity tags, it exists, or it does not. */
export type Precondition = readonly string[] | 'present' | 'absent';

export function entityTag(value: object): string {
  const text = canonicalJson(JSON.parse(JSON.stringify(value)) as JsonValue);
  return `"${hash('sha256', text, 'base64url').slice(0, 20)}"`;
}

/** @param current undefined if it does not exist */
export function isMet(precondition: Precondition | undefined, current: object | undefined): boolean {
  if (precondition === undefined) return true;
  if (current === undefined) return precondition === 'absent';
  return (
    precondition === 'present' || (precondition !== 'absent' && precondition.includes(entityTag(current)))
  );
}
