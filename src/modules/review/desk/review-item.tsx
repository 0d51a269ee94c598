/** A submission on the screen: its difference, the keys, and the dialogs. */

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { DifferenceTable } from '../../../../ui/shared/difference.tsx';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { isEmpty } from '../../../../ui/shared/json.ts';
import { useKeys } from '../../../../ui/shared/keys.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import type { Side } from '../../../../ui/shared/merge.ts';
import { OthersLine } from '../../../../ui/shared/others.tsx';
import { printing } from '../../../../ui/shared/printing.ts';
import type { ClassDescription } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { fullTime } from '../../../../ui/shared/time.ts';
import { useUserNames } from '../../../../ui/shared/user-name.tsx';
import { Slots } from '../../../../ui/shared/value.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { FollowedChange } from '../../../client/client.ts';
import type { ReviewItem as Item, Submission } from '../api-types.ts';
import { review } from '../client.ts';
import { AssignDialog } from './assign.tsx';
import { CommentDialog } from './comment-dialog.tsx';
import { DecisionBar } from './decision-bar.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { useItemTitles } from './item-titles.ts';
import { titleOf } from './queue-columns.tsx';
import { resultOf } from './result.ts';
import { ReviewHead } from './review-head.tsx';
import { SubmissionSheet } from './submission-sheet.tsx';
import { tr } from './texts.ts';
import type { Step } from './undo.ts';
import { aboutOf, useItemDecision } from './use-item-decision.ts';

type ItemProps = {
  item: Item;
  description: ClassDescription;
  collection: string;
  crumbs: { text: string; href: string }[];
  nav: ComponentChildren;
  position: string;
  goOn: () => void;
  reload: () => void;
  /** Changes of others to the curated record since it was read. */
  others: readonly FollowedChange[];
  /** @param on whether something is typed in a dialog */
  onTyping: (on: boolean) => void;
  onUndone: (step: Step) => void;
};

export function ReviewItem({
  collection,
  item,
  description,
  crumbs,
  nav,
  position,
  goOn,
  reload,
  others,
  onTyping,
  onUndone,
}: ItemProps) {
  const [current, setCurrent] = useState(0);
  const [isFolded, setFolded] = useState(true);
  const folded = isFolded && !printing.value;
  /** The form is open, with the focus in a slot if one is named, on the submission as it was then. */
  const [editing, setEditing] = useState<{ item: Item; slot?: string | undefined }>();
  const edit = (slot?: string | null) => setEditing({ item, slot: slot ?? undefined });
  const [commenting, setCommenting] = useState(false);
  const [assigning, setAssigning] = useState(false);
  const titles = useItemTitles(collection, item);
  const { value: changes } = useLoad(
    item.curated && item.differences.length > 0
      ? `${aboutOf(collection, item)}/${item.curated_etag}`
      : undefined,
    (signal) => lab(collection, signal).curation.activity({ pid: item.pid, size: 1 }),
  );
  const last = changes?.items[0];
  const nameOf = useUserNames(collection, [last?.author_id, item.submitter]);
  const who = (id: string | null) => (id === null ? t('history.unknown') : nameOf(id));
  const main = useRef<HTMLDivElement>(null);
  const row = item as unknown as Submission;
  const of = { collection, item, description, titles };
  const decision = useItemDecision({ ...of, goOn, reload, onUndone, edit, toConflict });
  const { choices, choose, differences, sides, open, slotsOf, accept } = decision;
  const isTyping = commenting || assigning || editing !== undefined || decision.dialog !== undefined;
  useLayoutEffect(() => {
    onTyping(isTyping);
    return () => onTyping(false);
  }, [isTyping]);
  useEffect(() => document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true }), []);
  const show = (index: number) => {
    setCurrent(index);
    const line = main.current?.querySelector<HTMLElement>(`[data-diff="${index}"]`);
    line?.scrollIntoView({ block: 'nearest' });
    return line;
  };
  function toConflict() {
    const next = differences.findIndex((one, index) => index > current && open.includes(one));
    const index = next >= 0 ? next : differences.findIndex((one) => open.includes(one));
    if (index < 0) return false;
    show(index)?.querySelector<HTMLElement>('input')?.focus();
    return true;
  }
  const side = (name: Side) => () => {
    const difference = differences[current];
    if (!difference || !sides.includes(name)) return false;
    choose(difference.path, name);
    return true;
  };
  useKeys({
    j: () => show(Math.min(current + 1, differences.length - 1)) ?? true,
    k: () => show(Math.max(current - 1, 0)) ?? true,
    '1': side('base'),
    '2': side('curated'),
    '3': side('submitted'),
    c: toConflict,
    '.': () => setFolded(!folded),
    a: () => accept(true),
    'shift+a': () => accept(false),
    s: decision.acceptSubmitted,
    r: decision.reject,
    d: decision.defer,
    q: () => setCommenting(true),
    w: () => setAssigning(true),
    f: () => edit(),
    e: () => edit(differences[current]?.slot),
    i: () => document.querySelector<HTMLElement>('aside .scroll')?.focus(),
  });
  const differing = new Set(differences.map(({ path }) => path.split('/')[1]));
  const unchanged = description.slots.filter(
    ({ name, designates_type }) => !designates_type && !differing.has(name) && !isEmpty(item.submitted[name]),
  );
  return (
    <Sheets second="side">
      <MainSheet
        title={position}
        headed
        label={tr('review.difference')}
        crumbs={crumbs}
        actions={
          <>
            {nav}
            <button type="button" class="btn quiet not-small" onClick={() => edit()}>
              <Icon name="pencil" />
              {tr('keys.asForm')} <kbd>F</kbd>
            </button>
          </>
        }
        foot={
          <DecisionBar
            item={item}
            choices={choices}
            open={open.length}
            busy={decision.busy}
            onAccept={() => accept(true)}
            onReject={decision.reject}
            onDefer={decision.defer}
            onAsk={() => setCommenting(true)}
          />
        }
      >
        <div ref={main}>
          {decision.notice}
          <OthersLine collection={collection} changes={others} of="record" action={null} />
          <ReviewHead {...of} />
          {item.state === 'new' ? (
            <div class="page">
              <Slots
                collection={collection}
                description={description}
                record={item.submitted}
                skip={['pid']}
              />
            </div>
          ) : (
            <>
              {differences.length > 0 && (
                <DifferenceTable
                  description={description}
                  slotsOf={slotsOf}
                  differences={differences}
                  sides={sides}
                  heads={{
                    ...(last && {
                      curated: `${who(last.author_id)}, ${fullTime(last.time_stamp)}`,
                    }),
                    submitted: `${who(item.submitter)}, ${fullTime(item.submitted_at)}`,
                  }}
                  choices={choices}
                  current={current}
                  asking={decision.asking}
                  titles={titles}
                  onChoose={choose}
                  onCurrent={setCurrent}
                />
              )}
              {unchanged.length > 0 && (
                <button type="button" class="fold" aria-expanded={!folded} onClick={() => setFolded(!folded)}>
                  <Icon name={folded ? 'right' : 'down'} />
                  {tr('review.unchanged', { n: unchanged.length })}
                </button>
              )}
              {!folded && (
                <div class="page">
                  <Slots
                    collection={collection}
                    description={{ ...description, slots: unchanged }}
                    record={Object.fromEntries(unchanged.map(({ name }) => [name, item.submitted[name]!]))}
                  />
                </div>
              )}
            </>
          )}
        </div>
        {decision.dialog}
        {commenting && (
          <CommentDialog
            title={tr('comment.askTitle', { title: titleOf(row) })}
            help={tr('comment.youAsk')}
            about={aboutOf(collection, item)}
            asks="answer"
            send={(text, requests) =>
              lab(collection)
                .use(review)
                .comment({ label: item.label, pid: item.pid, text, ...(requests && { requests }) })
            }
            onClose={() => setCommenting(false)}
          />
        )}
        {assigning && (
          <AssignDialog
            collection={collection}
            title={tr('assign.title', { title: titleOf(row) })}
            assignee={item.assignee}
            send={(chosen) =>
              lab(collection)
                .use(review)
                .assign({ label: item.label, pid: item.pid, ...chosen })
            }
            onClose={() => setAssigning(false)}
          />
        )}
        {editing && (
          <EditDialog
            collection={collection}
            description={description}
            record={resultOf(editing.item, choices)}
            name={`edit/${aboutOf(collection, editing.item)}`}
            slot={editing.slot}
            problems={decision.openTitles}
            onAccept={(record) => {
              setEditing(undefined);
              accept(true, { record, item: editing.item });
            }}
            onClose={() => setEditing(undefined)}
          />
        )}
      </MainSheet>
      <SubmissionSheet
        collection={collection}
        item={item}
        titles={titles}
        others={decision.waiting.length}
        together={decision.together}
        onTogether={decision.setTogether}
        onAssign={() => setAssigning(true)}
      />
    </Sheets>
  );
}
