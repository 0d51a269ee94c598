/** A slot with several values: add, remove, move. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../shared/icons.tsx';
import { isObject, type Json, type JsonObject } from '../shared/json.ts';
import { useLoad } from '../shared/load.ts';
import { NameField } from '../shared/name-field.tsx';
import { slotTitle } from '../shared/schema.ts';
import { count } from '../shared/time.ts';
import { t } from '../texts/texts.ts';
import { type ControlProps, Scalar } from './control.tsx';
import { type FormContext, idOf, type Path } from './field.tsx';
import { useFocusNext } from './focus-next.ts';
import { entriesInOrder } from './key-order.ts';
import { NestedFields } from './nested.tsx';

/** Long lists are shown in portions: each letter renders the fields that are on the screen. */
const PORTION = 20;

type Portion = { readonly from: number; readonly to: number; readonly show: (index: number) => void };

/** Which values of a list are shown; those that the form reveals are. */
function usePortion(form: FormContext, path: Path, keys: readonly (string | number)[]): Portion {
  const [first, setFirst] = useState(0);
  const total = keys.length;
  const startOf = (index: number) => Math.floor(Math.max(0, index) / PORTION) * PORTION;
  const show = (index: number) => setFirst(startOf(index));
  useLayoutEffect(() => {
    if (!form.revealed || path.some((part, index) => part !== form.revealed?.[index])) return;
    const index = keys.indexOf(form.revealed[path.length] ?? '');
    if (index >= 0) show(index);
  }, [form.revealed]);
  // A few more than a portion are not worth a second one.
  if (total <= PORTION * 1.5) return { from: 0, to: total, show };
  const from = Math.min(first, startOf(total - 1));
  return { from, to: Math.min(total, from + PORTION), show };
}

function PortionBar({ portion: { from, to, show }, total }: { portion: Portion; total: number }) {
  const before = useRef<HTMLButtonElement>(null);
  const after = useRef<HTMLButtonElement>(null);
  // A button that is disabled at an end of the list loses the focus.
  useLayoutEffect(() => {
    const { activeElement } = document;
    if (from === 0 && activeElement !== null && activeElement === before.current) after.current?.focus();
    if (to === total && activeElement !== null && activeElement === after.current) before.current?.focus();
  }, [from, to, total]);
  if (to - from === total) return null;
  return (
    <p class="btns portion">
      <button
        ref={before}
        type="button"
        class="btn small"
        disabled={from === 0}
        onClick={() => show(from - PORTION)}
      >
        {t('form.portionBefore')}
      </button>
      <button ref={after} type="button" class="btn small" disabled={to === total} onClick={() => show(to)}>
        {t('form.portionAfter')}
      </button>
      <span class="muted small" aria-live="polite">
        {t('form.portion', { from: count(from + 1), to: count(to), n: total })}
      </span>
    </p>
  );
}

/** Shows an item of a list and moves the focus to it; to the button that adds one if the list is empty. */
function useItemFocus(path: Path, portion: Portion): (index: number, total: number) => void {
  const focusNext = useFocusNext();
  return (index, total) => {
    if (total === 0) return focusNext(idOf(path));
    const item = Math.min(index, total - 1);
    portion.show(item);
    focusNext(itemId(path, item));
  };
}

const itemId = (path: Path, index: number) => `${idOf(path)}-item-${index}`;

export function Listed({ form, slot, path, value, described }: ControlProps) {
  const { range } = slot;
  const isMapping =
    range.kind === 'class' && (isObject(value) || (value === undefined && range.inlining === 'dict'));
  if (isMapping) return <Keyed form={form} slot={slot} path={path} value={value} described={described} />;
  const items = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  const portion = usePortion(form, path, [...items.keys()]);
  const focusItem = useItemFocus(path, portion);
  const set = (next: Json[], focused: number) => {
    form.change(path, next.length === 0 ? undefined : next);
    focusItem(focused, next.length);
  };
  const move = (from: number, to: number) => {
    if (to < 0 || to >= items.length) return;
    const next = [...items];
    next.splice(to, 0, ...next.splice(from, 1));
    set(next, to);
  };
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    move(index, index + (event.key === 'ArrowUp' ? -1 : 1));
  };
  const add = () => {
    form.begin([...path, items.length]);
    set([...items, range.kind === 'class' ? {} : ''], items.length);
  };
  return (
    <div class="listed">
      <PortionBar portion={portion} total={items.length} />
      {shown(items, portion).map(([index, item]) => (
        <div
          key={index}
          class={range.kind === 'class' ? 'listed-item card-item' : 'listed-item'}
          id={itemId(path, index)}
          tabIndex={-1}
          onKeyDown={(event) => onKeyDown(event, index)}
        >
          <div class="listed-value">
            {range.kind === 'class' ? (
              <NestedFields form={form} slot={slot} path={[...path, index]} value={item} range={range} />
            ) : (
              <Scalar
                form={form}
                slot={{ ...slot, multivalued: false }}
                path={[...path, index]}
                value={item}
                described={described}
              />
            )}
            {form.errorAt([...path, index]) && range.kind !== 'class' && (
              <p class="error">{form.errorAt([...path, index])}</p>
            )}
          </div>
          <div class="listed-actions">
            <button
              type="button"
              class="icon"
              disabled={index === 0}
              aria-label={t('form.up', { n: index + 1 })}
              onClick={() => move(index, index - 1)}
            >
              <Icon name="up" />
            </button>
            <button
              type="button"
              class="icon"
              disabled={index === items.length - 1}
              aria-label={t('form.down', { n: index + 1 })}
              onClick={() => move(index, index + 1)}
            >
              <Icon name="down" />
            </button>
            <RemoveButton n={index + 1} onClick={() => set(items.toSpliced(index, 1), index)} />
          </div>
        </div>
      ))}
      <AddButton slot={slot} id={items.length === 0 ? idOf(path) : undefined} onClick={add} />
    </div>
  );
}

function shown<Item>(items: readonly Item[], { from, to }: Portion): (readonly [number, Item])[] {
  return items.slice(from, to).map((item, index) => [from + index, item] as const);
}

/** Objects by their key, as a mapping stores them. */
function Keyed({ form, slot, path, value }: ControlProps) {
  const { range } = slot;
  const [order, setOrder] = useState<readonly string[]>([]);
  const entries = entriesInOrder(isObject(value) ? value : {}, order);
  const portion = usePortion(
    form,
    path,
    entries.map(([key]) => key),
  );
  const focusItem = useItemFocus(path, portion);
  const className = range.kind === 'class' ? range.class : undefined;
  const { value: description } = useLoad(className && `${form.collection}/${className}`, () =>
    form.classOf(className!),
  );
  if (range.kind !== 'class') return null;
  const keySlot = description?.slots.find(({ identifier, key }) => identifier || key)?.name;
  const set = (next: [string, Json][]) => {
    setOrder(next.map(([key]) => key));
    form.change(path, next.length === 0 ? undefined : (Object.fromEntries(next) as JsonObject));
  };
  const rename = (index: number, key: string) =>
    set(entries.map((entry, i) => (i === index ? [key, withoutMember(entry[1], keySlot)] : entry)));
  const add = () => {
    let n = entries.length + 1;
    while (entries.some(([key]) => key === `key-${n}`)) n++;
    form.begin([...path, `key-${n}`]);
    set([...entries, [`key-${n}`, {}]]);
    focusItem(entries.length, entries.length + 1);
  };
  const remove = (index: number) => {
    set(entries.toSpliced(index, 1));
    focusItem(index, entries.length - 1);
  };
  return (
    <div class="listed">
      <PortionBar portion={portion} total={entries.length} />
      {shown(entries, portion).map(([index, [key, item]]) => (
        <div key={index} class="listed-item card-item" id={itemId(path, index)} tabIndex={-1}>
          <div class="listed-value">
            <NameField
              id={`${idOf(path)}-key-${index}`}
              label={t('value.key')}
              name={key}
              isGenerated={/^key-\d+$/.test(key)}
              others={entries.flatMap(([other]) => (other === key ? [] : other))}
              onRename={(name) => rename(index, name)}
            />
            <NestedFields
              form={form}
              slot={slot}
              path={[...path, key]}
              value={isObject(item) ? item : { value: item }}
              range={range}
              hideKey
            />
          </div>
          <div class="listed-actions">
            <RemoveButton n={index + 1} onClick={() => remove(index)} />
          </div>
        </div>
      ))}
      <AddButton slot={slot} id={entries.length === 0 ? idOf(path) : undefined} onClick={add} />
    </div>
  );
}

/** Stored objects repeat their key as a member, which would contradict another one. */
function withoutMember(item: Json, name: string | undefined): Json {
  if (!isObject(item) || name === undefined) return item;
  const { [name]: _, ...others } = item;
  return others;
}

/** The label of a slot without values leads to this button by `id`. */
function AddButton({
  slot,
  id,
  onClick,
}: {
  readonly slot: ControlProps['slot'];
  readonly id: string | undefined;
  readonly onClick: () => void;
}) {
  return (
    <div>
      <button type="button" class="btn small" id={id} data-add onClick={onClick}>
        <Icon name="plus" size={14} />
        {t('form.addTo', { name: slotTitle(slot) })}
      </button>
    </div>
  );
}

function RemoveButton({ n, onClick }: { readonly n: number; readonly onClick: () => void }) {
  return (
    <button type="button" class="icon" aria-label={t('form.removeItem', { n })} onClick={onClick}>
      <Icon name="close" />
    </button>
  );
}
