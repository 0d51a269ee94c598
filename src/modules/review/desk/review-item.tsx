/** A submission on the screen: its difference, the keys, and what deciding does. */

import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Copy } from '../../../../ui/shared/copy.tsx';
import { DifferenceTable, inReadingOrder, namesOf } from '../../../../ui/shared/difference.tsx';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { useSlotsOf } from '../../../../ui/shared/inlined.ts';
import { isEmpty, type JsonObject } from '../../../../ui/shared/json.ts';
import { forgetKept, useKept } from '../../../../ui/shared/kept.ts';
import { useKeys } from '../../../../ui/shared/keys.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import type { Side } from '../../../../ui/shared/merge.ts';
import { type Choices, sideOf } from '../../../../ui/shared/merge.ts';
import { OthersLine } from '../../../../ui/shared/others.tsx';
import { printing } from '../../../../ui/shared/printing.ts';
import { problemLine } from '../../../../ui/shared/problem-words.ts';
import { SameThing } from '../../../../ui/shared/same-thing.tsx';
import type { ClassDescription } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { Heading, MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { State } from '../../../../ui/shared/state.tsx';
import { Tile } from '../../../../ui/shared/tile.tsx';
import { fullTime } from '../../../../ui/shared/time.ts';
import { announcement, closeToast } from '../../../../ui/shared/toast.tsx';
import { useUserNames } from '../../../../ui/shared/user-name.tsx';
import { Slots } from '../../../../ui/shared/value.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { ClientError, FollowedChange } from '../../../client/client.ts';
import type { ReviewItem as Item, Submission } from '../api-types.ts';
import { review } from '../client.ts';
import { Approvals, approvedRecord } from './approvals.tsx';
import { AssignDialog } from './assign.tsx';
import { CommentDialog } from './comment-dialog.tsx';
import { RequestTag } from './comments.tsx';
import { DecisionBar } from './decision-bar.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { useItemTitles } from './item-titles.ts';
import { titleOf } from './queue-columns.tsx';
import { hasBase, resultOf, takeOf } from './result.ts';
import { SubmissionSheet } from './submission-sheet.tsx';
import { tr } from './texts.ts';
import type { Step } from './undo.ts';
import { useDecisions } from './use-decisions.tsx';

type ItemProps = {
  item: Item;
  description: ClassDescription;
  collection: string;
  crumbs: { text: string; href: string }[];
  nav: preact.ComponentChildren;
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
  const aboutOf = ({ label, pid, digest }: Item) => `${collection}/${label}/${pid}/${digest}`;
  const about = aboutOf(item);
  const [choices, setChoices, forgetChoices] = useKept<Record<string, Side>>(`sides/${about}`, {});
  const choose = (path: string, side: Side) => setChoices({ ...choices, [path]: side });
  const [current, setCurrent] = useState(0);
  const [isFolded, setFolded] = useState(true);
  const folded = isFolded && !printing.value;
  const [together, setTogether] = useState(true);
  /** The form is open, with the focus in a slot if one is named, on the submission as it was then. */
  const [editing, setEditing] = useState<{ item: Item; slot?: string | undefined }>();
  const edit = (slot?: string | null) => setEditing({ item, slot: slot ?? undefined });
  /** Accepting was tried before the conflicts were settled: their rows ask for a side. */
  const [asking, setAsking] = useState(false);
  const [commenting, setCommenting] = useState(false);
  const [assigning, setAssigning] = useState(false);
  const titles = useItemTitles(collection, item);
  const { value: changes } = useLoad(
    item.curated && item.differences.length > 0 ? `${about}/${item.curated_etag}` : undefined,
    (signal) => lab(collection, signal).curation.activity({ pid: item.pid, size: 1 }),
  );
  const last = changes?.items[0];
  const nameOf = useUserNames(collection, [last?.author_id, item.submitter]);
  const who = (id: string | null) => (id === null ? t('history.unknown') : nameOf(id));
  const main = useRef<HTMLDivElement>(null);
  const row = item as unknown as Submission;
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
  const isTyping = commenting || assigning || editing !== undefined || decisions.dialog !== undefined;
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
  const toConflict = () => {
    const next = differences.findIndex((one, index) => index > current && open.includes(one));
    const index = next >= 0 ? next : differences.findIndex((one) => open.includes(one));
    if (index < 0) return false;
    show(index)?.querySelector<HTMLElement>('input')?.focus();
    return true;
  };
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
      announcement.value = tr('review.openConflicts', {
        n: open.length,
        slots: open.map((one) => namesOf(one, description, slotsOf, titles).title).join(', '),
      });
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
    s: acceptSubmitted,
    r: () => decisions.askReason(row, 'reject'),
    d: () => decisions.askReason(row, 'defer'),
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
            busy={decisions.busy}
            onAccept={() => accept(true)}
            onReject={() => decisions.askReason(row, 'reject')}
            onDefer={() => decisions.askReason(row, 'defer')}
            onAsk={() => setCommenting(true)}
          />
        }
      >
        <div ref={main}>
          {decisions.notice}
          <OthersLine collection={collection} changes={others} of="record" action={null} />
          <div class="page review-head">
            <Heading tile={<Tile name={item.class} large />} title={titleOf(row)}>
              <State name={item.state} chip />
              {item.standing !== 'waiting' && <State name={item.standing} chip />}
              <RequestTag requested={item.requested} />
              <span class="mono">{item.pid}</span>
              <Copy text={item.pid} label={t('record.copyPid')} />
              {differences.length > 0 && item.state !== 'new' && (
                <span>
                  {tr('review.counts', { n: differences.length })}
                  {item.conflicts > 0 && `, ${tr('queue.conflicts', { n: item.conflicts })}`}
                </span>
              )}
            </Heading>
            {item.message && (
              <p class="note">
                <Icon name="send" />
                <span class="pre">
                  <bdi>{item.message}</bdi>
                </span>
              </p>
            )}
            <SameThing
              title={tr('review.sameThing')}
              collection={collection}
              pid={item.pid}
              others={item.duplicates}
              titles={titles}
            />
            <Approvals collection={collection} item={item} description={description} />
            {item.problems.length > 0 && (
              <div class="note st-rejected">
                <Icon name="warning" />
                <div>
                  <p class="strong">{tr('review.invalid')}</p>
                  <ul>
                    {item.problems.map((one) => (
                      <li key={one.loc.join('/') + one.type} class="pre">
                        {problemLine(one)}
                      </li>
                    ))}
                  </ul>
                </div>
              </div>
            )}
            {item.state === 'same' && (
              <p class="note">
                <span>{tr('review.same')}</span>
              </p>
            )}
          </div>
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
                  asking={asking}
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
        {decisions.dialog}
        {commenting && (
          <CommentDialog
            title={tr('comment.askTitle', { title: titleOf(row) })}
            help={tr('comment.youAsk')}
            about={about}
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
            name={`edit/${aboutOf(editing.item)}`}
            slot={editing.slot}
            problems={open.map((one) => namesOf(one, description, slotsOf, titles).title).join(', ')}
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
        others={waiting.length}
        together={together}
        onTogether={setTogether}
        onAssign={() => setAssigning(true)}
      />
    </Sheets>
  );
}
