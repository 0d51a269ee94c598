/** Slots whose values are ORCID iDs, and the form that they have there. */
import type { Slot } from '../../../../ui/shared/schema.ts';

type OrcidSlot = Pick<Slot, 'name' | 'pattern' | 'multivalued'>;

/** Whether the values of a slot are single ORCID iDs: its name says so, or its pattern. */
export function isOrcidSlot({ name, pattern, multivalued }: OrcidSlot): boolean {
  return !multivalued && (/orcid/i.test(name) || /(\\d|\[0-9\])\{4\}-(\\d|\[0-9\])\{4\}/.test(pattern ?? ''));
}

/**
 * The iD in the form that the pattern of a slot demands.
 *
 * @param orcid the iD as a URL
 * @returns undefined if the slot accepts none of its forms
 */
export function orcidFor({ pattern }: Pick<Slot, 'pattern'>, orcid: string): string | undefined {
  const id = orcid.slice(orcid.lastIndexOf('/') + 1);
  const forms = [orcid, `orcid:${id}`, id];
  if (!pattern) return orcid;
  try {
    const expression = new RegExp(pattern, 'u');
    return forms.find((form) => expression.test(form));
  } catch {
    // Some patterns of LinkML are none of JavaScript.
    return undefined;
  }
}
