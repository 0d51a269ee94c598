/** Picks records of a class by typing their name; one that does not exist can be created on the way. */
import { useEffect, useState } from 'preact/hooks';
import { Icon } from '../shared/icons.tsx';
import type { Json } from '../shared/json.ts';
import { useLayer } from '../shared/keys.ts';
import { useDebounced, useLoad } from '../shared/load.ts';
import { type Hit, searchRecords } from '../shared/records.ts';
import { localPart, type Range, slotTitle } from '../shared/schema.ts';
import { Tile, useTitles } from '../shared/tile.tsx';
import { t } from '../texts/texts.ts';
import type { ControlProps } from './control.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { idOf } from './field.tsx';

const HITS = 8;
const DEBOUNCE_MS = 150;

export function Pick({
  form,
  slot,
  path,
  value,
  described,
  range,
}: ControlProps & { range: Extract<Range, { kind: 'class' }> }) {
  const id = idOf(path);
  const chosen = (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]).map(
    String,
  );
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const [creating, setCreating] = useState<string>();
  // A field that is gone asks for nothing.
  useEffect(() => () => form.setUnfinished(path, ''), []);
  const wanted = useDebounced(text.trim(), DEBOUNCE_MS);
  const titles = useTitles(form.collection, chosen);
  const { value: found = [] } = useLoad(
    open ? `${form.collection}/${range.class}/${wanted}` : undefined,
    (signal) => searchRecords(form.collection, range.class, wanted, HITS, signal),
  );
  const hits = found.filter(({ pid }) => !chosen.includes(pid));
  const set = (next: readonly string[]) =>
    form.change(path, next.length === 0 ? undefined : slot.multivalued ? ([...next] as Json) : next.at(-1));
  const take = (pid: string) => {
    set(slot.multivalued ? [...chosen, pid] : [pid]);
    setText('');
    setAt(0);
    setOpen(false);
    form.setUnfinished(path, '');
  };
  const typed = text.trim();
  const isIdentifier = /^[\w.-]+:\S+$/.test(typed);
  const options = hits.length + (typed === '' ? 0 : isIdentifier ? 2 : 1);
  const choose = (index: number) => {
    const hit = hits[index];
    if (hit) take(hit.pid);
    else if (isIdentifier && index === hits.length) take(typed);
    else if (typed !== '') setCreating(typed);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') {
      setOpen(true);
      setAt(Math.min(at + 1, options - 1));
    } else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter' && open && options > 0 && !event.ctrlKey) choose(at);
    else if (event.key === 'Backspace' && text === '' && chosen.length > 0) {
      set(chosen.slice(0, -1));
      return;
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  useLayer('menu', { Escape: () => setOpen(false) }, open && options > 0);
  return (
    <div
      class="picker"
      onFocusOut={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOpen(false);
      }}
    >
      <div class="pick">
        {chosen.map((pid) => {
          const known = titles?.get(pid);
          return (
            <span class="token" key={pid}>
              <Tile name={known?.class ?? range.class} />
              <bdi title={pid}>{known?.title || localPart(pid)}</bdi>
              {known === null && <span class="faint tiny">{t('value.notFound')}</span>}
              <button
                type="button"
                class="icon"
                aria-label={t('form.takeAway', { name: known?.title || pid })}
                onClick={() => set(chosen.filter((one) => one !== pid))}
              >
                <Icon name="close" size={14} />
              </button>
            </span>
          );
        })}
        <input
          id={id}
          role="combobox"
          aria-label={slotTitle(slot)}
          aria-expanded={open}
          aria-controls={`${id}-hits`}
          aria-autocomplete="list"
          aria-activedescendant={open && options > 0 ? `${id}-hit-${at}` : undefined}
          aria-describedby={described}
          aria-invalid={form.errorAt(path) !== undefined}
          autoComplete="off"
          placeholder={chosen.length === 0 ? t('form.typeName') : ''}
          value={text}
          onClick={() => setOpen(true)}
          onInput={(event) => {
            setText(event.currentTarget.value);
            form.setUnfinished(path, event.currentTarget.value.trim());
            setOpen(true);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      {open && options > 0 && (
        <ul class="menu-list" id={`${id}-hits`} role="listbox" aria-label={t('form.candidates')}>
          {hits.map((hit, index) => (
            <Option
              key={hit.pid}
              id={`${id}-hit-${index}`}
              selected={index === at}
              onTake={() => take(hit.pid)}
            >
              <Candidate hit={hit} text={typed} />
            </Option>
          ))}
          {isIdentifier && (
            <Option id={`${id}-hit-${hits.length}`} selected={at === hits.length} onTake={() => take(typed)}>
              <Icon name="right" />
              <span>{t('form.useIdentifier')}</span>
              <span class="id mono">{typed}</span>
            </Option>
          )}
          {typed !== '' && (
            <Option
              make
              id={`${id}-hit-${options - 1}`}
              selected={at === options - 1}
              onTake={() => setCreating(typed)}
            >
              <Icon name="plus" />
              <span>
                {range.classes.length > 1
                  ? t('form.createRecord', { name: typed })
                  : t('form.create', { noun: range.class, name: typed })}
              </span>
            </Option>
          )}
        </ul>
      )}
      {creating !== undefined && (
        <CreateDialog
          collection={form.collection}
          range={range}
          name={creating}
          onClose={() => setCreating(undefined)}
          onCreated={(pid) => {
            setCreating(undefined);
            take(pid);
          }}
        />
      )}
    </div>
  );
}

function Option({
  id,
  selected,
  make = false,
  onTake,
  children,
}: {
  id: string;
  selected: boolean;
  make?: boolean;
  onTake: () => void;
  children: preact.ComponentChildren;
}) {
  return (
    <li
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={selected}
      class={make ? 'make' : undefined}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onTake}
    >
      {children}
    </li>
  );
}

function Candidate({ hit, text }: { hit: Hit; text: string }) {
  const from = hit.title.toLowerCase().indexOf(text.toLowerCase());
  return (
    <>
      <Tile name={hit.class || '··'} />
      <bdi class="clip">
        {from < 0 || text === '' ? (
          hit.title
        ) : (
          <>
            {hit.title.slice(0, from)}
            <mark>{hit.title.slice(from, from + text.length)}</mark>
            {hit.title.slice(from + text.length)}
          </>
        )}
      </bdi>
      <span class="id mono">{hit.pid}</span>
    </>
  );
}
