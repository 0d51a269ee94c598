/** The option `--identify` of `accession curate settings`. */
import type { SettingsOfOptions } from '../../cli/module.ts';
import { UsageError } from '../../cli/outcome.ts';

export const settingsOfOptions: SettingsOfOptions = (options) => {
  const slots = Object.fromEntries(((options.identify ?? []) as string[]).map(slotsIn));
  if (Object.keys(slots).length === 0) return undefined;
  return (stored) => {
    const { identifying_slots } = stored as { identifying_slots?: object };
    return { ...stored, identifying_slots: { ...identifying_slots, ...slots } };
  };
};

/** `Person=orcid,email` */
function slotsIn(text: string): [className: string, slots: string[]] {
  const [, className, slots] = /^([^=]+)=(.*)$/.exec(text) ?? [];
  if (className === undefined || slots === undefined)
    throw new UsageError(`--identify: expected CLASS=SLOT,SLOT, found '${text}'.`);
  return [className, slots.split(',').filter((slot) => slot !== '')];
}
