/** How a submission is decided: the sides of its conflicts, what is open, and accepting it with these. */

import { useState } from 'preact/hooks';
import { inReadingOrder, namesOf } from '../../../../ui/shared/difference.tsx';
import { useSlotsOf } from '../../../../ui/shared/inlined.ts';
import type { JsonObject } from '../../../../ui/shared/json.ts';
import { forgetKept, useKept } from '../../../../ui/shared/kept.ts';
import { type Choices, type Side, sideOf } from '../../../../ui/shared/merge.ts';
import type { ClassDescription } from '../../../../ui/shared/schema.ts';
import { announcement, closeToast } from '../../../../ui/shared/toast.tsx';
import type { ClientError } from '../../../client/client.ts';
import type { ReviewItem as Item, Submission } from '../api-types.ts';
import { approvedRecord } from './approvals.tsx';
import type { useItemTitles } from './item-titles.ts';
import { hasBase, takeOf } from './result.ts';
import { tr } from './texts.ts';
import type { Step } from './undo.ts';
import { useDecisions } from './use-decisions.tsx';

/** What is kept of a submission is kept of this version of it. */
export const aboutOf = (collection: string, { label, pid, digest }: Item) =>
  `${collection}/${label}/${pid}/${digest}`;

export function useItemDecision({
  collection,
  item,
  description,
  titles,
  goOn,
  reload,
  onUndone,
  edit,
  toConflict,
}: {
  collection: string;
  item: Item;
  description: ClassDescription;
  titles: ReturnType<typeof useItemTitles>;
  goOn: () => void;
  reload: () => void;
  onUndone: (step: Step) => void;
  /** Opens the form of the submission. */
  edit: () => void;
  /** Moves to a conflict that is open. @returns whether there is one */
  toConflict: () => boolean;
}) {
  const about = aboutOf(collection, item);
  const row = item as unknown as Submission;
  const [choices, setChoices, forgetChoices] = useKept<Record<string, Side>>(`sides/${about}`, {});
  const choose = (path: string, side: Side) => setChoices({ ...choices, [path]: side });
  const [together, setTogether] = useState(true);
  /** Accepting was tried before the conflicts were settled: their rows ask for a side. */
  const [asking, setAsking] = useState(false);
  const slotsOf = useSlotsOf(collection, description.slots);
  const differences = inReadingOrder(item.differences, description);
  const sides: Side[] = hasBase(item) ? ['base', 'curated', 'submitted'] : ['curated', 'submitted'];
  const openWith = (chosen: Choices) =>
    differences.filter((one) => one.conflict && sideOf(one, chosen) === undefined);
  const open = openWith(choices);
  /** The only conflict of the submission, while it has no side. */
  const sole = item.conflicts === 1 ? open[0] : undefined;
  // Others exist as curated records already, or were rejected: a decision on this one does not overturn that.
  const waiting = item.references.filter(({ state, standing }) => state === 'new' && standing !== 'rejected');
  const decisions = useDecisions(collection, {
    onDecided: () => {
      forgetChoices();
      forgetKept(`edit/${about}`);
      goOn();
    },
    onRefused: (error: ClientError) => {
      if (error.status === 409 || error.status === 412) reload();
      if (error.type === 'record_invalid') edit();
    },
    onUndone,
  });
  const openTitles = open.map((one) => namesOf(one, description, slotsOf, titles).title).join(', ');
  /** @param edited the content of the form, and the submission that it began with */
  const accept = (
    withReferences: boolean,
    edited?: { record: JsonObject; item: Item },
    chosen: Choices = choices,
  ) => {
    // Without a choice of one's own, what another has approved is accepted.
    const approved = Object.keys(chosen).length === 0 ? approvedRecord(item) : undefined;
    const given = edited ?? (approved && { record: approved, item });
    if (!given && openWith(chosen).length > 0) {
      announcement.value = tr('review.openConflicts', { n: open.length, slots: openTitles });
      closeToast();
      setAsking(true);
      return toConflict();
    }
    const take = takeOf(differences, chosen);
    const more = {
      ...(given
        ? { record: given.record, if_curated: given.item.curated_etag }
        : Object.keys(take).length > 0
          ? { take, if_curated: item.curated_etag }
          : {}),
      ...(withReferences && together && waiting.length > 0
        ? { with_references: waiting.map(({ pid, digest }) => ({ pid, digest: digest! })) }
        : {}),
    };
    return decisions.accept((given?.item ?? item) as unknown as Submission, more);
  };
  // Decides nothing where there is nothing to settle; with several conflicts, each asks for its side.
  const acceptSubmitted = ({ repeat }: KeyboardEvent) => {
    if (repeat || open.length === 0) return false;
    return accept(true, undefined, sole ? { ...choices, [sole.path]: 'submitted' } : choices);
  };
  return {
    choices,
    choose,
    slotsOf,
    differences,
    sides,
    open,
    openTitles,
    asking,
    waiting,
    together,
    setTogether,
    accept,
    acceptSubmitted,
    busy: decisions.busy,
    notice: decisions.notice,
    dialog: decisions.dialog,
    reject: () => decisions.askReason(row, 'reject'),
    defer: () => decisions.askReason(row, 'defer'),
  };
}
