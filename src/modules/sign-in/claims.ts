/** Who a person is, as the issuer says it. */
import type { IssuerSettings } from './source-config.ts';

export type Claims = {
  /** What histories name the person by, behind the name of the source. */
  readonly id: string;
  /** The name that people read. */
  readonly name: string;
  readonly email?: string;
  /** The ORCID iD as a URL. */
  readonly orcid?: string;
  readonly groups: readonly string[];
};

/** Longer values are those of no person, and further groups are not kept. */
const LONGEST = 255;
const MOST_GROUPS = 1000;

/** Matches ORCID iDs, alone or as URLs. */
const ORCID = /^(?:https?:\/\/(?:sandbox\.)?orcid\.org\/)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])$/;

type Given = Readonly<Record<string, unknown>>;

/** The claims of a person. @returns undefined in `id` for a claim that is missing */
export function claimsOf(
  settings: Pick<IssuerSettings, 'user_id_claim' | 'groups_claim' | 'orcid_claim'>,
  given: Given,
): Omit<Claims, 'id'> & { readonly id: string | undefined } {
  const id = textOf(claimAt(given, settings.user_id_claim));
  const full = [textOf(given.given_name), textOf(given.family_name)].filter(Boolean).join(' ');
  // An address that anyone may have entered would name other people.
  const email = [false, 'false'].includes(given.email_verified as string) ? undefined : textOf(given.email);
  const orcid = ORCID.exec(textOf(claimAt(given, settings.orcid_claim)) ?? '')?.[1];
  return {
    id,
    name: textOf(given.name) ?? (full || (textOf(given.preferred_username) ?? email ?? id ?? '')),
    ...(email !== undefined && { email }),
    ...(orcid !== undefined && { orcid: `https://orcid.org/${orcid}` }),
    groups: groupsOf(claimAt(given, settings.groups_claim)),
  };
}

/** Whether an answer names a person and, if another does, their groups: groups that it leaves out then are left. */
export function hasClaims(
  settings: Pick<IssuerSettings, 'user_id_claim' | 'groups_claim'>,
  answer: Given,
  other: Given,
): boolean {
  const has = (given: Given, name: string) => claimAt(given, name) !== undefined;
  const { user_id_claim: id, groups_claim: groups } = settings;
  return has(answer, id) && (has(answer, groups) || !has(other, groups));
}

/** A claim by its name, else by a path with dots: `realm_access.roles`. */
function claimAt(given: Given, name: string): unknown {
  if (Object.hasOwn(given, name)) return given[name];
  return name.split('.').reduce<unknown>((value, part) => {
    const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, part);
    return isObject ? (value as Given)[part] : undefined;
  }, given);
}

/** @returns undefined for what is not a name, or could not be stored */
export function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' || text.length > LONGEST || /\p{Cc}/u.test(text) || !text.isWellFormed()
    ? undefined
    : text;
}

function groupsOf(value: unknown): readonly string[] {
  const groups = (Array.isArray(value) ? value : [value]).map(textOf).filter((one) => one !== undefined);
  return [...new Set(groups)].slice(0, MOST_GROUPS);
}
