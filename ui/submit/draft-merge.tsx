/** A draft of a record that was changed since: which values of both go on, as in review. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { DifferenceTable, inReadingOrder } from '../shared/difference.tsx';
import { Icon } from '../shared/icons.tsx';
import { useSlotsOf } from '../shared/inlined.ts';
import type { JsonObject } from '../shared/json.ts';
import { useKeys } from '../shared/keys.ts';
import type { Side } from '../shared/merge.ts';
import { sideOf } from '../shared/merge.ts';
import type { ClassDescription } from '../shared/schema.ts';
import { t } from '../texts/texts.ts';
import { draftDifferences, mergedDraft } from './draft-difference.ts';

export function DraftMerge({
  collection,
  description,
  base,
  stored,
  draft,
  onMerged,
  onDiscard,
}: {
  collection: string;
  description: ClassDescription;
  base: JsonObject | undefined;
  stored: JsonObject;
  draft: JsonObject;
  onMerged: (record: JsonObject) => void;
  onDiscard: () => void;
}) {
  const differences = inReadingOrder(draftDifferences(base, stored, draft), description);
  const slotsOf = useSlotsOf(collection, description.slots);
  const [choices, setChoices] = useState<Record<string, Side>>({});
  const [current, setCurrent] = useState(0);
  const [asking, setAsking] = useState(false);
  const part = useRef<HTMLDivElement>(null);
  useEffect(() => part.current?.querySelector<HTMLElement>('p')?.focus(), []);
  const goOn = () => {
    const open = differences.findIndex((one) => sideOf(one, choices) === undefined);
    if (open < 0) return onMerged(mergedDraft(stored, differences, choices));
    setAsking(true);
    setCurrent(open);
    part.current?.querySelector<HTMLElement>(`[data-diff="${open}"] input`)?.focus();
  };
  const choose = (path: string, side: Side) => setChoices({ ...choices, [path]: side });
  const side = (name: Side) => () => {
    const difference = differences[current];
    return difference ? choose(difference.path, name) : false;
  };
  useKeys({
    j: () => setCurrent(Math.min(current + 1, differences.length - 1)),
    k: () => setCurrent(Math.max(current - 1, 0)),
    '1': side('base'),
    '2': side('curated'),
    '3': side('submitted'),
    'ctrl+Enter': goOn,
  });
  return (
    <div ref={part}>
      <div class="note st-diverged">
        <Icon name="warning" />
        <p tabIndex={-1} role="alert">
          {t('form.changedSince')}
        </p>
      </div>
      <DifferenceTable
        description={description}
        slotsOf={slotsOf}
        differences={differences}
        sides={base ? ['base', 'curated', 'submitted'] : ['curated', 'submitted']}
        names={{ curated: t('form.storedNow'), submitted: t('form.yourDraft') }}
        heads={{}}
        choices={choices}
        current={current}
        asking={asking}
        titles={undefined}
        onChoose={choose}
        onCurrent={setCurrent}
      />
      <p class="btns merge-end">
        <button type="button" class="btn" onClick={onDiscard}>
          {t('form.discardDraft')}
        </button>
        <button type="button" class="btn primary" onClick={goOn}>
          {t('form.goOn')}
        </button>
      </p>
    </div>
  );
}
