/** The keys of access policies, which collections of the peer have since its release 6.5. This release has no policies. */
import type { JsonObject } from '../json.ts';

const POLICY_KEYS = ['policy_annotation_tag', 'default_policy', 'policy_mapping', 'policy_info_location'];

export function isPolicyKey(key: string): boolean {
  return POLICY_KEYS.includes(key);
}

/** Why a collection that uses policies is refused instead of served. */
export const NO_POLICIES =
  'access policies are not supported, and without them every reader would see every record; ' +
  'remove the policies, or serve the store with a release of dump-things-service that has them';

/** A collection without the policy keys that set nothing: release 6.6.4 of the peer writes one into each collection. */
export function withoutUnsetPolicies(collection: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(collection).filter(([key, value]) => !setsNothing(key, value)));
}

function setsNothing(key: string, value: unknown): boolean {
  if (!isPolicyKey(key)) return false;
  return value === null || (key === 'policy_mapping' && Array.isArray(value) && value.length === 0);
}
