/** One submission: its difference, what is known about it, and the decision. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type ApiError, ask } from '../base/api.ts';
import { isEmpty, type JsonObject } from '../base/json.ts';
import { useKeys } from '../base/keys.ts';
import { useLoad } from '../base/load.ts';
import { type Choices, hasBase, resultOf, sideOf, takeOf } from '../base/merge.ts';
import type { Item, QueueRow, Side } from '../base/review.ts';
import { go, place, urlOf } from '../base/router.ts';
import { type ClassDescription, readClass, slotTitle, type Title, written } from '../base/schema.ts';
import type { ViewProps } from '../base/view.ts';
import { useContext } from '../parts/context.ts';
import { Copy } from '../parts/copy.tsx';
import { DecisionBar } from '../parts/decision-bar.tsx';
import { useDecisions } from '../parts/decisions.tsx';
import { DifferenceTable, referencesIn } from '../parts/difference.tsx';
import { EditDialog } from '../parts/edit-dialog.tsx';
import { Icon } from '../parts/icons.tsx';
import { NextList } from '../parts/next-list.tsx';
import { Bones, Empty, ErrorNote } from '../parts/notes.tsx';
import { titleOf } from '../parts/queue-columns.tsx';
import { filterOf } from '../parts/queue-filters.tsx';
import { Heading, MainSheet, Sheets } from '../parts/sheet.tsx';
import { State } from '../parts/state.tsx';
import { SubmissionSheet } from '../parts/submission-sheet.tsx';
import { Tile, useTitles } from '../parts/tile.tsx';
import { announcement } from '../parts/toast.tsx';
import { Slots } from '../parts/value.tsx';
import { t } from '../texts/texts.ts';

type Loaded = { item: Item; description: ClassDescription };
const AHEAD = 50;

async function readItem(
  collection: string,
  label: string,
  pid: string,
  signal?: AbortSignal,
): Promise<Loaded> {
  const { value: item } = await ask<Item>(['-', collection, 'review', 'item'], {
    query: { label, pid },
    signal,
  });
  return { item, description: await readClass(collection, item.class) };
}

export function Review({ collection }: ViewProps) {
  const { query } = place.value;
  const label = query.get('label') ?? '';
  const pid = query.get('pid') ?? '';
  const filters = { ...filterOf(query), sort: query.get('sort') ?? undefined };
  const filterKey = JSON.stringify({ ...filters, label: undefined });
  const queue = useLoad(`${collection}/${filterKey}/${written.value}`, (signal) =>
    ask<{ items: QueueRow[]; total: number }>(['-', collection, 'review', ''], {
      query: { ...filters, label: undefined, size: AHEAD },
      signal,
    }),
  );
  const rows = queue.value?.value.items ?? [];
  const at = rows.findIndex((row) => row.pid === pid && row.label === label);
  const loaded = useLoad(`${collection}/${label}/${pid}/${written.value}`, (signal) =>
    readItem(collection, label, pid, signal),
  );
  const urlFor = (row: QueueRow | undefined) =>
    row
      ? urlOf([collection, 'review', 'item'], { ...filters, label: row.label, pid: row.pid })
      : urlOf([collection, 'review'], { ...filters, label: undefined });
  useContext(
    <NextList
      rows={rows.slice(Math.max(0, at - 3), Math.max(0, at - 3) + 14)}
      current={`${label}\n${pid}`}
      urlFor={urlFor}
    />,
    `${label}/${pid}/${rows.length}/${rows[0]?.pid}`,
  );
  const total = queue.value?.value.total ?? 0;
  const step = (by: number) => {
    const next = at < 0 ? rows[0] : rows[at + by];
    if (next) go(urlFor(next));
    return next !== undefined;
  };
  const after =
    rows.find((row, index) => index > at && !(row.pid === pid && row.label === label)) ??
    rows.find((row) => row.pid !== pid || row.label !== label);
  useKeys({ n: () => step(1), p: () => step(-1), Escape: () => go(urlFor(undefined)) });
  const value =
    loaded.value?.item.pid === pid && loaded.value.item.label === label ? loaded.value : undefined;
  const crumbs = [{ text: t('rail.review'), href: urlFor(undefined) }];
  if (!value) {
    return (
      <Sheets second="side">
        <MainSheet
          title={at >= 0 ? t('review.place', { n: at + 1, total }) : t('rail.review')}
          crumbs={crumbs}
        >
          {loaded.error ? (
            <div class="page">
              {loaded.error.status === 404 ? (
                <Gone urlNext={urlFor(after)} />
              ) : (
                <ErrorNote error={loaded.error} retry={loaded.reload} />
              )}
            </div>
          ) : (
            <Bones />
          )}
        </MainSheet>
      </Sheets>
    );
  }
  const nav = (
    <>
      <button
        type="button"
        class="icon"
        aria-label={t('review.previous')}
        title="P"
        disabled={at <= 0}
        onClick={() => step(-1)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        class="icon"
        aria-label={t('review.next')}
        title="N"
        disabled={at >= rows.length - 1}
        onClick={() => step(1)}
      >
        <Icon name="down" />
      </button>
    </>
  );
  return (
    <ReviewItem
      key={`${label}/${pid}`}
      collection={collection}
      {...value}
      crumbs={crumbs}
      nav={nav}
      position={at >= 0 ? t('review.place', { n: at + 1, total }) : titleOf(value.item)}
      neighbors={rows}
      goOn={() => go(urlFor(after))}
      reload={() => {
        loaded.reload();
        queue.reload();
      }}
      back={urlFor({ label, pid } as QueueRow)}
    />
  );
}

function Gone({ urlNext }: { urlNext: string }) {
  return (
    <Empty title={t('review.goneTitle')}>
      <p>{t('review.goneHelp')}</p>
      <p class="btns">
        <a class="btn primary" href={urlNext}>
          {t('review.next')}
        </a>
      </p>
    </Empty>
  );
}

type ItemProps = Loaded & {
  collection: string;
  crumbs: { text: string; href: string }[];
  nav: preact.ComponentChildren;
  position: string;
  neighbors: readonly QueueRow[];
  goOn: () => void;
  reload: () => void;
  back: string;
};

function ReviewItem({
  collection,
  item,
  description,
  crumbs,
  nav,
  position,
  neighbors,
  goOn,
  reload,
  back,
}: ItemProps) {
  const [choices, choose] = useChoices(`${collection}/${item.label}/${item.pid}/${item.digest}`);
  const [current, setCurrent] = useState(0);
  const [folded, setFolded] = useState(true);
  const [together, setTogether] = useState(true);
  const [editing, setEditing] = useState(false);
  const read = useTitles(
    collection,
    useMemo(
      () => [...referencesIn(item.differences), ...item.references.map((one) => one.pid)].slice(0, 500),
      [item],
    ),
  );
  // Records that wait themselves are called as in the queue.
  const titles = new Map<string, Title | null>(read);
  for (const one of neighbors) {
    if (one.label === item.label && !titles.get(one.pid))
      titles.set(one.pid, { title: one.title, class: one.class, in: 'zone' });
  }
  const main = useRef<HTMLDivElement>(null);
  const row = item as unknown as QueueRow;
  const { differences } = item;
  const sides: Side[] = hasBase(item) ? ['base', 'curated', 'submitted'] : ['curated', 'submitted'];
  const open = differences.filter((one) => one.conflict && sideOf(one, choices) === undefined);
  // Others exist as curated records already, so the reference holds without them.
  const waiting = item.references.filter((one) => one.state === 'new' && one.digest !== null);
  const decisions = useDecisions(collection, {
    onDecided: () => {
      choose();
      goOn();
    },
    onRefused: (error: ApiError) => {
      if (error.status === 409 || error.status === 412) reload();
    },
    onUndone: () => go(back),
  });
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
  const accept = (withReferences: boolean, record?: JsonObject) => {
    if (!record && open.length > 0) {
      announcement.value = t('review.openConflicts', {
        n: open.length,
        slots: open.map((one) => one.slot).join(', '),
      });
      return toConflict();
    }
    const take = takeOf(differences, choices);
    const more = {
      ...(record
        ? { record, if_curated: item.curated_etag }
        : Object.keys(take).length > 0
          ? { take, if_curated: item.curated_etag }
          : {}),
      ...(withReferences && together && waiting.length > 0
        ? { with_references: waiting.map(({ pid, digest }) => ({ pid, digest: digest! })) }
        : {}),
    };
    return decisions.accept(row, more).then((error) => error?.code === 'record_invalid' && setEditing(true));
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
    r: () => decisions.askReason(row, 'reject'),
    d: () => decisions.askReason(row, 'defer'),
    u: decisions.undoLast,
    f: () => setEditing(true),
    e: () => setEditing(true),
    i: () => document.querySelector<HTMLElement>('aside .scroll')?.focus(),
  });
  const differing = new Set(differences.map(({ path }) => path.split('/')[1]));
  const others = description.slots.filter(
    ({ name, designates_type }) => !designates_type && !differing.has(name) && !isEmpty(item.submitted[name]),
  );
  return (
    <Sheets second="side">
      <MainSheet
        title={position}
        headed
        label={t('review.difference')}
        crumbs={crumbs}
        actions={
          <>
            {nav}
            <button type="button" class="btn quiet not-small" onClick={() => setEditing(true)}>
              <Icon name="pencil" />
              {t('keys.asForm')} <kbd>F</kbd>
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
          />
        }
      >
        <div ref={main}>
          {decisions.notice}
          <div class="page review-head">
            <Heading tile={<Tile name={item.class} large />} title={titleOf(row)}>
              <State name={item.state} chip />
              {item.standing !== 'waiting' && <State name={item.standing} chip />}
              <span class="mono">{item.pid}</span>
              <Copy text={item.pid} label={t('record.copyPid')} />
              {differences.length > 0 && item.state !== 'new' && (
                <span>
                  {t('review.counts', { n: differences.length })}
                  {item.conflicts > 0 && `, ${t('queue.conflicts', { n: item.conflicts })}`}
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
            {item.problems.length > 0 && (
              <div class="note st-rejected">
                <Icon name="warning" />
                <div>
                  <p class="strong">{t('review.invalid')}</p>
                  <ul>
                    {item.problems.map((one) => (
                      <li key={one.loc.join('/') + one.type} class="pre">
                        {one.msg}
                      </li>
                    ))}
                  </ul>
                </div>
              </div>
            )}
            {item.state === 'same' && (
              <p class="note">
                <span>{t('review.same')}</span>
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
                  differences={differences}
                  sides={sides}
                  heads={{}}
                  choices={choices}
                  current={current}
                  titles={titles}
                  onChoose={choose}
                  onCurrent={setCurrent}
                />
              )}
              {others.length > 0 && (
                <button type="button" class="fold" aria-expanded={!folded} onClick={() => setFolded(!folded)}>
                  <Icon name={folded ? 'right' : 'down'} />
                  {t('review.unchanged', { n: others.length })}
                </button>
              )}
              {!folded && (
                <div class="page">
                  <Slots
                    collection={collection}
                    description={{ ...description, slots: others }}
                    record={Object.fromEntries(others.map(({ name }) => [name, item.submitted[name]!]))}
                  />
                </div>
              )}
            </>
          )}
        </div>
        {decisions.dialog}
        {editing && (
          <EditDialog
            collection={collection}
            description={description}
            record={resultOf(item, choices)}
            problems={
              open.length > 0
                ? open.map(({ slot }) => slotTitle({ title: null, name: slot ?? '' })).join(', ')
                : ''
            }
            onAccept={(record) => {
              setEditing(false);
              accept(true, record);
            }}
            onClose={() => setEditing(false)}
          />
        )}
      </MainSheet>
      <SubmissionSheet
        collection={collection}
        item={item}
        titles={titles}
        together={together}
        onTogether={setTogether}
      />
    </Sheets>
  );
}

const CHOICES = 'accession.choices:';

/** The chosen sides; they survive a reload, until the submission changes or is decided. */
function useChoices(key: string): [Choices, (path?: string, side?: Side) => void] {
  const [choices, setChoices] = useState<Choices>(() =>
    JSON.parse(sessionStorage.getItem(CHOICES + key) ?? '{}'),
  );
  const choose = (path?: string, side?: Side) => {
    if (path === undefined || side === undefined) {
      sessionStorage.removeItem(CHOICES + key);
      return;
    }
    const next = { ...choices, [path]: side };
    sessionStorage.setItem(CHOICES + key, JSON.stringify(next));
    setChoices(next);
  };
  return [choices, choose];
}
