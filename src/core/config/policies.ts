/** The configuration of policies: the keys of a collection, and what is read at its `policy_info_location`. */

import { fixedText, sourceMessage } from '#linkml/errors.ts';
import type { ForgeSourceConfig } from '../access/forge-tokens.ts';
import { isForgeSource } from '../access/sources.ts';
import { ServiceError } from '../errors.ts';
import { problemsBy, refusal } from '../json-schema.ts';
import {
  type CollectionConfig,
  type PolicyConfig,
  type PolicyInformation,
  policyInformationSchema,
} from './config.ts';

export const POLICY_KEYS = [
  'policy_annotation_tag',
  'default_policy',
  'policy_mapping',
  'policy_info_location',
] as const;

const KNOWN: readonly string[] = POLICY_KEYS;

/** Whether a collection restricts who sees its records. */
export function hasPolicies(config: PolicyConfig): boolean {
  return POLICY_KEYS.some((key) => config[key] !== undefined);
}

/** Leaves out the policy keys of a collection that set nothing: release 6.6.4 of the peer writes one into each. */
export function withoutUnsetPolicies<T extends object>(collection: T): T {
  const isUnset = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
  const kept = Object.entries(collection).filter(([key, value]) => !(KNOWN.includes(key) && isUnset(value)));
  return Object.fromEntries(kept) as T;
}

/**
 * Reads the document at a `policy_info_location`. Problems name kinds and known keys, and nothing else of the document: curators read
 * them, and an administrator may name any file.
 *
 * @throws ServiceError `policy_info_unreadable`
 */
export function parsePolicyInformation(text: string): PolicyInformation {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ServiceError(
      'policy_info_unreadable',
      sourceMessage('The policy information', fixedText('expected JSON, found another form')),
    );
  }
  const problems = problemsBy(policyInformationSchema, value, []);
  if (problems.length > 0)
    throw refusal(
      'policy_info_unreadable',
      problems.map(({ type, loc, msg }) => ({
        type,
        loc: loc.map((step) => (typeof step === 'number' || KNOWN.includes(step) ? step : '*')),
        msg: msg.replace(/, found .*$/s, ''),
      })),
    );
  return withoutUnsetPolicies(value as PolicyInformation);
}

/** The policies of a configuration that are in force as they are written; undefined if they are read from a location. */
export function writtenPolicies(config: PolicyConfig): PolicyInformation | undefined {
  if (config.policy_info_location !== undefined) return undefined;
  const { policy_annotation_tag: tag, default_policy: other, policy_mapping: mapping } = config;
  return {
    ...(tag !== undefined && { policy_annotation_tag: tag }),
    ...(other !== undefined && { default_policy: other }),
    ...(mapping !== undefined && { policy_mapping: mapping }),
  };
}

/** Finds oddities in the policies of a collection, for the log of the operator. */
export function policyWarnings(config: CollectionConfig): string[] {
  const nameless = namelessForges(config).length > 1 ? [SEVERAL_NAMELESS] : [];
  return [...keyWarnings(config), ...nameless];
}

const SEVERAL_NAMELESS =
  'several forges have no instance_id, so forgejo_None in policy_mapping means none of them';

/** The forges that policies name `forgejo_None`. */
export function namelessForges({ auth_sources }: CollectionConfig): readonly ForgeSourceConfig[] {
  return auth_sources.filter(isForgeSource).filter((one) => (one.instance_id ?? null) === null);
}

function keyWarnings(config: PolicyConfig): string[] {
  const { policy_annotation_tag: tag, default_policy: other, policy_mapping: mapping } = config;
  const isSet = tag !== undefined || other !== undefined || mapping !== undefined;
  if (config.policy_info_location !== undefined)
    return isSet
      ? ['policy_info_location is set, so the other policy keys of the configuration do not apply']
      : [];
  if (tag !== undefined || !isSet) return [];
  if (other === undefined)
    return ['policy_mapping applies to no record: set policy_annotation_tag or default_policy'];
  return ['without policy_annotation_tag, default_policy is the policy of all records'];
}
