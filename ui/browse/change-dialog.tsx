/** Edits a value of one or several records: the slot and the value, then what changes, then the changes. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { Field } from '../form/field.tsx';
import { useRecordForm } from '../form/record-form.tsx';
import { useAction } from '../shared/action.ts';
import { Dialog } from '../shared/dialog.tsx';
import { isEqual, type JsonObject } from '../shared/json.ts';
import { useKept } from '../shared/kept.ts';
import { shortValue } from '../shared/scalar.tsx';
import { type ClassDescription, MOST_TITLES, readingOrder, type Slot } from '../shared/schema.ts';
import { may } from '../shared/session.ts';
import { useTitles } from '../shared/tile.tsx';
import { toast } from '../shared/toast.tsx';
import { t } from '../texts/texts.ts';
import { makeChanges, type Outcome, type PlannedChange, planChanges, undoChanges } from './changes.ts';
import { SlotSelect } from './slot-select.tsx';
import { tb } from './texts.ts';

type Props = {
  collection: string;
  description: ClassDescription;
  rows: readonly JsonObject[];
  onClose: () => void;
};

/** The slot that was edited last: the next record begins with it. */
let lastSlot: string | undefined;
/** The last changes of this tab, for `U`. */
let last: { readonly collection: string; readonly made: Outcome['made'] } | undefined;

/** Undoes the last changes in a collection. @returns false if there are none */
export function undoLastChanges(collection: string): boolean {
  if (last?.collection !== collection) return false;
  const { made } = last;
  last = undefined;
  undoChanges(collection, made).then((left) => {
    const undone = tb('changesUndone', { n: made.length - left.length });
    toast(left.length === 0 ? undone : `${undone} ${tb('changesUndoLeft', { n: left.length })}`);
  });
  return true;
}

/** The slots that can be edited here: not what identifies a record. */
function editable(description: ClassDescription): Slot[] {
  return readingOrder(description).filter(
    ({ identifier, designates_type }) => !identifier && !designates_type,
  );
}

export function ChangeDialog({ collection, description, rows, onClose }: Props) {
  const slots = editable(description);
  /** What was typed and not used, by slot; null for a value that is removed. */
  const [kept, keep, forget] = useKept<JsonObject>(
    `change/${collection}/${description.class}/${rows.length}/${rows[0]?.pid}`,
    {},
  );
  const begin = lastSlot ?? Object.keys(kept)[0];
  const [name, setName] = useState(slots.find((one) => one.name === begin)?.name ?? slots[0]?.name ?? '');
  const [planned, setPlanned] = useState<readonly PlannedChange[]>();
  const slot = slots.find((one) => one.name === name);
  const initial = (name: string) => {
    const { [name]: before, ...others } = startOf(rows, name);
    const value = Object.hasOwn(kept, name) ? kept[name] : before;
    return value === undefined || value === null ? others : { ...others, [name]: value };
  };
  const form = useRecordForm({ collection, className: description.class, initial: initial(name) });
  useLayoutEffect(() => {
    const value = form.record[name] ?? null;
    const isChanged = !isEqual(value, startOf(rows, name)[name] ?? null);
    const { [name]: _, ...others } = kept;
    keep(isChanged ? { ...others, [name]: value } : others);
  }, [form.record]);
  const choose = (next: string) => {
    lastSlot = next;
    setName(next);
    form.replace(initial(next));
  };
  const good = planned?.filter(({ problem }) => problem === undefined) ?? [];
  const preview = async () => {
    // Names text first that was typed into a reference and not chosen.
    if (!(await form.attempt(async () => {}))) return;
    const pids = rows.map(({ pid }) => String(pid));
    setPlanned(await planChanges(collection, pids, name, form.record[name]));
  };
  const change = async () => {
    const { made, refused } = await makeChanges(collection, good);
    last = { collection, made };
    const words = may(collection, 'curate') ? 'changed' : 'changedSubmitted';
    if (made.length > 0) toast(tb(words, { n: made.length }), () => undoLastChanges(collection));
    if (refused.length === 0) {
      forget();
      onClose();
    }
    if (refused.length > 0) setPlanned(refused);
  };
  const { busy, error, run } = useAction(planned ? change : preview);
  return (
    <Dialog
      wide
      title={tb('changeTitle', { n: rows.length })}
      busy={busy || (planned !== undefined && good.length === 0)}
      confirm={planned ? tb('changeN', { n: good.length }) : tb('preview')}
      error={error}
      onConfirm={run}
      onClose={planned ? () => setPlanned(undefined) : onClose}
    >
      {planned && slot ? (
        <Preview collection={collection} slot={slot} planned={planned} total={rows.length} />
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

function Preview({
  collection,
  slot,
  planned,
  total,
}: {
  collection: string;
  slot: Slot;
  planned: readonly PlannedChange[];
  total: number;
}) {
  const values = planned.flatMap(({ before, after }) => [before[slot.name], after[slot.name]].flat());
  const pids = slot.range.kind === 'class' ? values.filter((one) => typeof one === 'string') : [];
  const titles = useTitles(collection, [...new Set(pids)].slice(0, MOST_TITLES));
  const words = (record: JsonObject) =>
    shortValue(record[slot.name], slot.range, (pid) => titles?.get(pid)?.title ?? undefined) ||
    t('form.noValue');
  const same = total - planned.length;
  const refused = planned.filter(({ problem }) => problem !== undefined).length;
  return (
    <>
      {planned.length === 0 && <p>{tb('changesNone')}</p>}
      {refused > 0 && <p class="strong">{tb('changesRefused', { n: refused })}</p>}
      <ul class="stack-s changes" aria-label={tb('preview')}>
        {planned.map((one) => (
          <li key={one.pid}>
            <bdi class="strong">{one.title}</bdi>{' '}
            {one.problem === undefined ? (
              <>
                <del>
                  <bdi>{words(one.before)}</bdi>
                </del>{' '}
                <ins>
                  <bdi>{words(one.after)}</bdi>
                </ins>
              </>
            ) : (
              <span class="st-rejected pre">{one.problem}</span>
            )}
          </li>
        ))}
      </ul>
      {same > 0 && planned.length > 0 && <p class="muted small">{tb('changesSame', { n: same })}</p>}
    </>
  );
}
