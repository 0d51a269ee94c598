/** Says by what duplicates are found, and proposes slots that may name one real thing. */
import { useAction } from '../../../../ui/shared/action.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { ErrorNote } from '../../../../ui/shared/notes.tsx';
import { urlOf } from '../../../../ui/shared/router.ts';
import { type ClassDescription, readClass, readClasses, slotTitle } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { toast } from '../../../../ui/shared/toast.tsx';
import type { CurationSettings } from '../api-types.ts';
import { tc } from './texts.ts';

/** The slots by class that name one real thing. */
export type IdentifyingSlots = NonNullable<CurationSettings['identifying_slots']>;

/** Types of which many records share a value. */
const SHARED = /^(boolean|date|datetime|date_or_datetime|time|integer|float|double|decimal)$/;

/** Values of types can name a thing; references, choices, numbers and dates cannot. */
export function isPossible({
  range,
  identifier,
  designates_type,
}: ClassDescription['slots'][number]): boolean {
  return range.kind === 'type' && !SHARED.test(range.type) && !identifier && !designates_type;
}

const NAMED =
  /(^|_)(orcid|doi|ror|isbn|issn|pmid|wikidata|gnd|viaf|isni|identifier|serial|e?mail|accession)/i;

/** Whether the schema says, or the name suggests, that a slot names one thing. */
function isLikely(slot: ClassDescription['slots'][number]): boolean {
  return isPossible(slot) && !slot.multivalued && (slot.pattern !== undefined || NAMED.test(slot.name));
}

/** The setting, and the classes with slots that it may have. */
export async function readIdentifying(collection: string, signal: AbortSignal) {
  const [settings, summaries] = await Promise.all([
    lab(collection, signal).curation.settings() as Promise<CurationSettings>,
    readClasses(collection, signal),
  ]);
  const stored = settings.identifying_slots ?? {};
  const used = summaries.filter(({ count, class: name }) => count > 0 || stored[name]);
  const classes = await Promise.all(used.map((one) => readClass(collection, one.class)));
  return { stored, classes: classes.filter(({ slots }) => slots.some(isPossible)) };
}

export function Compared({ collection }: { collection: string }) {
  const { value, reload } = useLoad(collection, (signal) => readIdentifying(collection, signal));
  const { busy, error, run } = useAction(async (of: string, slot: string) => {
    await lab(collection).curation.changeSettings((settings) => {
      const before = (settings as CurationSettings).identifying_slots ?? {};
      return { ...settings, identifying_slots: { ...before, [of]: [...(before[of] ?? []), slot] } };
    });
    afterWrite();
    toast(tc('comparedToo', { slot }));
    reload();
  });
  if (!value) return null;
  const { stored, classes } = value;
  const slotsOf = (one: ClassDescription, wanted: (slot: ClassDescription['slots'][number]) => boolean) =>
    one.slots.filter(wanted).map((slot) => ({ of: one, slot }));
  const isStored = (of: string, slot: string) => stored[of]?.includes(slot) ?? false;
  const compared = classes.flatMap((one) => slotsOf(one, ({ name }) => isStored(one.class, name)));
  const likely = classes.flatMap((one) => slotsOf(one, isLikely));
  // What a class above compares is compared below it, too.
  const proposed = likely.filter(
    ({ slot: { name } }, at) => ![...compared, ...likely.slice(0, at)].some(({ slot }) => slot.name === name),
  );
  const words = compared.map(({ of, slot }) => `${slotTitle(slot)} (${of.title ?? of.class})`).join(', ');
  return (
    <div class="note stack-s compared">
      <p>
        {words === '' ? tc('comparedNames') : tc('compared', { slots: words })}{' '}
        <a href={urlOf([collection, 'stewardship', 'settings'])}>{tc('comparedChange')}</a>
      </p>
      {proposed.length > 0 && (
        <p class="btns">
          {proposed.slice(0, MOST_PROPOSED).map(({ of, slot }) => (
            <button
              key={`${of.class} ${slot.name}`}
              type="button"
              class="btn small"
              disabled={busy}
              onClick={() => run(of.class, slot.name)}
            >
              {tc('compareToo', { slot: slotTitle(slot), name: of.title ?? of.class })}
            </button>
          ))}
        </p>
      )}
      {error && <ErrorNote error={error} />}
    </div>
  );
}

const MOST_PROPOSED = 8;
