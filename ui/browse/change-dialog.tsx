/** Edits a value of one or several records: the slot and the value, then what changes, then the changes. */
import { Fragment } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Field } from '../form/field.tsx';
import { useRecordForm } from '../form/record-form.tsx';
import { useAction } from '../shared/action.ts';
import { Dialog } from '../shared/dialog.tsx';
import { useGuard } from '../shared/guard.ts';
import { isEqual, type JsonObject, withValue } from '../shared/json.ts';
import { useKept } from '../shared/kept.ts';
import { RunningDialog } from '../shared/running-dialog.tsx';
import { shortValue } from '../shared/scalar.tsx';
import { type ClassDescription, MOST_TITLES, readingOrder, type Slot, slotTitle } from '../shared/schema.ts';
import { may } from '../shared/session.ts';
import { MOST_RECORDS, type Steps } from '../shared/several.ts';
import { useTitles } from '../shared/tile.tsx';
import { toast } from '../shared/toast.tsx';
import { t } from '../texts/texts.ts';
import {
  type ListQuery,
  makeChanges,
  type Outcome,
  type Plan,
  type PlannedChange,
  planChanges,
  undoChanges,
} from './changes.ts';
import { SlotSelect } from './slot-select.tsx';
import { tb } from './texts.ts';

type Props = {
  collection: string;
  description: ClassDescription;
  rows: readonly JsonObject[];
  /** All records of a list, in place of the rows. */
  whole?: { readonly query: ListQuery; readonly total: number } | undefined;
  /** The slot to begin with; default: the one that was edited last. */
  begin?: string | undefined;
  onClose: () => void;
};

/** The slot that was edited last: the next record begins with it. */
let lastSlot: string | undefined;
/** The last changes of this tab, for `U`. */
let last: { readonly collection: string; readonly made: Outcome['made'] } | undefined;

/** Notes changes that were made, for `U`, and says so. */
export function noteChanges(collection: string, made: Outcome['made']): void {
  if (made.length === 0) return;
  last = { collection, made };
  const words = may(collection, 'curate') ? 'changed' : 'changedSubmitted';
  toast(tb(words, { n: made.length }), () => undoLastChanges(collection));
}

/** Undoes the last changes in a collection. @returns false if there are none */
export function undoLastChanges(collection: string): boolean {
  if (last?.collection !== collection) return false;
  const { made } = last;
  last = undefined;
  const total = made.length;
  const onDone = (done: number) => total > SHOWN && toast(tb('changesUndoing', { done, total }));
  undoChanges(collection, made, { onDone }).then(({ undone, left, open }) => {
    const words = [tb('changesUndone', { n: undone })];
    if (left > 0) words.push(tb('changesUndoLeft', { n: left }));
    if (open.length === 0) return toast(words.join(' '));
    // Others may have been made meanwhile.
    last = { collection, made: [...open, ...(last?.collection === collection ? last.made : [])] };
    return toast([...words, tb('changesUndoOpen', { n: open.length })].join(' '), () =>
      undoLastChanges(collection),
    );
  });
  return true;
}

/** Makes changes, some now and the rest later, as it is stopped or the service is away; `U` undoes those of all runs. */
export function useChanges(collection: string) {
  const made = useRef<Outcome['made']>([]);
  const stopper = useRef(new AbortController());
  /** What the next work is stopped by. */
  const begin = () => {
    stopper.current = new AbortController();
    return stopper.current.signal;
  };
  return {
    begin,
    stop: () => stopper.current.abort(),
    make: async (planned: readonly PlannedChange[], onDone: Steps['onDone'] = () => {}): Promise<Outcome> => {
      const outcome = await makeChanges(collection, planned, { onDone, signal: begin() });
      made.current = [...made.current, ...outcome.made];
      noteChanges(collection, made.current);
      return outcome;
    },
  };
}

/** The slots that can be edited here: not what identifies a record. */
function editable(description: ClassDescription): Slot[] {
  return readingOrder(description).filter(
    ({ identifier, designates_type }) => !identifier && !designates_type,
  );
}

/** Changes that the preview lists, and undos that need no progress. */
const SHOWN = 100;

export function ChangeDialog({ collection, description, rows, whole, begin: given, onClose }: Props) {
  const slots = editable(description);
  const total = whole?.total ?? rows.length;
  // The rows on the screen do not say what the others have.
  const sample = whole ? [] : rows;
  const which = whole ? JSON.stringify(whole.query) : `${rows.length}/${rows[0]?.pid}`;
  /** What was typed and not used, by slot; null for a value that is removed. */
  const [kept, keep, forget] = useKept<JsonObject>(`change/${collection}/${description.class}/${which}`, {});
  const begin = given ?? lastSlot ?? Object.keys(kept)[0];
  const [name, setName] = useState(slots.find((one) => one.name === begin)?.name ?? slots[0]?.name ?? '');
  const [plan, setPlan] = useState<Plan>();
  const [running, setRunning] = useState<{ readonly done: number; readonly of: number }>();
  const changes = useChanges(collection);
  const slot = slots.find((one) => one.name === name);
  const initial = (name: string) => {
    const { [name]: before, ...others } = startOf(sample, name);
    const value = Object.hasOwn(kept, name) ? kept[name] : before;
    return value === undefined || value === null ? others : { ...others, [name]: value };
  };
  const form = useRecordForm({ collection, className: description.class, initial: initial(name) });
  useLayoutEffect(() => {
    const value = form.record[name] ?? null;
    const isChanged = !isEqual(value, startOf(sample, name)[name] ?? null);
    const { [name]: _, ...others } = kept;
    keep(isChanged ? { ...others, [name]: value } : others);
  }, [form.record]);
  const choose = (next: string) => {
    lastSlot = next;
    setName(next);
    form.replace(initial(next));
  };
  const good = plan?.planned.filter(({ problem }) => problem === undefined) ?? [];
  const progressOf = (of: number) => (done: number) => setRunning({ done, of });
  const preview = async () => {
    // Names text first that was typed into a reference and not chosen.
    if (!(await form.attempt(async () => {}))) return;
    const chosen = whole
      ? { className: description.class, query: whole.query }
      : { pids: rows.map(({ pid }) => String(pid)) };
    const signal = changes.begin();
    try {
      const change = (record: JsonObject) => withValue(record, [name], form.record[name]) as JsonObject;
      const found = await planChanges(collection, chosen, change, { signal, onDone: progressOf(total) });
      if (!signal.aborted) setPlan({ ...found, missed: total - found.total });
    } catch (problem) {
      if (!signal.aborted) throw problem;
    }
  };
  const change = async () => {
    const { rest, error } = await changes.make(good, progressOf(good.length));
    if (rest.length > 0) setPlan({ planned: rest, total: rest.length });
    else {
      forget();
      onClose();
    }
    if (error) throw error;
  };
  const { busy, error, run } = useAction(async () => {
    try {
      await (plan ? change() : preview());
    } finally {
      setRunning(undefined);
    }
  });
  useGuard(busy && plan !== undefined, t('running.leave'));
  if (running && running.of > SHOWN) {
    const words = tb(plan ? 'changing' : 'reading', { done: running.done, total: running.of });
    return (
      <RunningDialog
        title={words}
        done={running.done}
        total={running.of}
        help={plan && tb('changeStopHelp')}
        onStop={changes.stop}
      />
    );
  }
  const isTooMany = total > MOST_RECORDS;
  return (
    <Dialog
      wide
      title={tb('changeTitle', { n: total })}
      busy={busy || isTooMany || (plan !== undefined && good.length === 0)}
      confirm={plan ? tb('changeN', { n: good.length }) : tb('preview')}
      error={error}
      onConfirm={run}
      onClose={busy ? changes.stop : plan ? () => setPlan(undefined) : onClose}
    >
      {isTooMany && <p class="note st-diverged">{tb('changeTooMany', { n: MOST_RECORDS })}</p>}
      {plan && slot ? (
        <Preview collection={collection} slots={[slot]} {...plan} />
      ) : (
        <>
          <SlotSelect id="changed-slot" slots={slots} name={name} onChoose={choose} />
          {slot && <Field key={name} form={form} slot={slot} path={[name]} value={form.record[name]} />}
          <p class="muted small">{tb('changeHelp')}</p>
        </>
      )}
    </Dialog>
  );
}

/** The first record, with the value of the slot only if all have the same. */
function startOf(rows: readonly JsonObject[], name: string): JsonObject {
  const [first = {}] = rows;
  const { [name]: value, ...others } = first;
  const same = value !== undefined && rows.every((row) => isEqual(row[name] ?? null, value));
  return same ? { ...others, [name]: value } : others;
}

/** The values that someone else has stored meanwhile. */
function Present({
  slots,
  before,
  now,
  words,
}: {
  slots: readonly Slot[];
  before: JsonObject;
  now: JsonObject;
  words: (record: JsonObject, slot: Slot) => string;
}) {
  const changed = slots.filter(({ name }) => !isEqual(before[name] ?? null, now[name] ?? null));
  if (changed.length === 0) return null;
  return (
    <>
      <span class="muted">{tb('changedNow')}</span>{' '}
      {changed.map((slot) => (
        <Fragment key={slot.name}>
          {slots.length > 1 && <span class="muted">{slotTitle(slot)} </span>}
          <bdi>{words(now, slot)}</bdi>{' '}
        </Fragment>
      ))}
    </>
  );
}

/** What changes in each record, and what stays as it is, with the reason. */
export function Preview({
  collection,
  slots,
  planned,
  total,
  missed = 0,
}: {
  collection: string;
  slots: readonly Slot[];
} & Plan) {
  const isRefused = ({ problem }: PlannedChange) => problem !== undefined;
  const shown = [...planned.filter(isRefused), ...planned.filter((one) => !isRefused(one))].slice(0, SHOWN);
  const pids = slots
    .filter(({ range }) => range.kind === 'class')
    .flatMap(({ name }) =>
      shown.flatMap(({ before, after, now }) => [before[name], after[name], now?.[name]].flat()),
    )
    .filter((one) => typeof one === 'string');
  const titles = useTitles(collection, [...new Set(pids)].slice(0, MOST_TITLES));
  const words = (record: JsonObject, slot: Slot) =>
    shortValue(record[slot.name], slot.range, (pid) => titles?.get(pid)?.title ?? undefined) ||
    t('form.noValue');
  const same = total - planned.length;
  const refused = planned.filter(isRefused).length;
  return (
    <>
      {planned.length === 0 && <p>{tb('changesNone')}</p>}
      {missed > 0 && <p class="note st-diverged">{tb('changesMissed', { n: missed })}</p>}
      {refused > 0 && <p class="strong">{tb('changesRefused', { n: refused })}</p>}
      <ul class="stack-s changes" aria-label={tb('preview')} tabIndex={0}>
        {shown.map((one) => (
          <li key={one.pid}>
            <bdi class="strong">{one.title}</bdi>{' '}
            {one.problem === undefined ? (
              slots
                .filter(({ name }) => !isEqual(one.before[name] ?? null, one.after[name] ?? null))
                .map((slot) => (
                  <Fragment key={slot.name}>
                    {slots.length > 1 && <span class="muted">{slotTitle(slot)} </span>}
                    <del>
                      <bdi>{words(one.before, slot)}</bdi>
                    </del>{' '}
                    <ins>
                      <bdi>{words(one.after, slot)}</bdi>
                    </ins>{' '}
                  </Fragment>
                ))
            ) : (
              <>
                <span class="st-rejected pre">{one.problem}</span>{' '}
                {one.now && <Present {...{ slots, words }} {...one} now={one.now} />}
              </>
            )}
          </li>
        ))}
      </ul>
      {shown.length < planned.length && (
        <p class="muted small">{tb('changesMore', { n: planned.length - shown.length })}</p>
      )}
      {same > 0 && planned.length > 0 && <p class="muted small">{tb('changesSame', { n: same })}</p>}
    </>
  );
}
