/** Picks a term of a vocabulary by typing its label; shows its definition and the terms above it, and leads to those below. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Term } from '../../src/client/client.ts';
import { Icon } from '../shared/icons.tsx';
import { scalarText } from '../shared/json.ts';
import { useLayer } from '../shared/keys.ts';
import { useDebounced, useLoad } from '../shared/load.ts';
import { type Range, slotTitle } from '../shared/schema.ts';
import { lab } from '../shared/service.ts';
import { t } from '../texts/texts.ts';
import type { ControlProps } from './control.tsx';
import { idOf } from './field.tsx';

const HITS = 8;
const DEBOUNCE_MS = 150;

/** Terms of all vocabularies of an enum that match, and the values that the schema lists. */
async function findTerms(
  collection: string,
  range: TermRange,
  query: { q: string; under: string | undefined },
  signal: AbortSignal,
): Promise<Term[]> {
  const found = await Promise.all(
    range.vocabularies.map((name) =>
      lab(collection, signal).terms(name, { ...query, enum: range.enum, limit: HITS }),
    ),
  );
  return found.flatMap(({ items }) => items);
}

type TermRange = Extract<Range, { kind: 'enum' }> & { readonly vocabularies: readonly string[] };

export function PickTerm({ form, slot, path, value, described, range }: ControlProps & { range: TermRange }) {
  const id = idOf(path);
  const chosen = scalarText(value);
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const [under, setUnder] = useState<Term['parents'][number] | Term>();
  const input = useRef<HTMLInputElement>(null);
  const type = (typed: string) => {
    setText(typed);
    form.setUnfinished(path, typed.trim());
  };
  // A field that is gone asks for nothing.
  useEffect(() => () => form.setUnfinished(path, ''), []);
  const wanted = useDebounced(text.trim(), DEBOUNCE_MS);
  const key = `${form.collection}/${range.enum}`;
  const { value: known } = useLoad(chosen === '' ? undefined : `${key}=${chosen}`, (signal) =>
    findTerms(form.collection, range, { q: chosen, under: undefined }, signal),
  );
  const { value: hits = [] } = useLoad(open ? `${key}/${under?.value}/${wanted}` : undefined, (signal) =>
    findTerms(form.collection, range, { q: wanted, under: under?.value }, signal),
  );
  const active = hits[at];
  const label = known?.find((one) => one.value === chosen)?.label ?? chosen;
  const take = (term: Term) => {
    form.change(path, term.value);
    type('');
    setOpen(false);
  };
  const browse = (term: Term['parents'][number] | Term | undefined) => {
    setUnder(term);
    type('');
    setAt(0);
    // The button that was pressed may be gone with its term.
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') {
      setOpen(true);
      setAt(Math.min(at + 1, hits.length - 1));
    } else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter' && open && active && !event.ctrlKey) take(active);
    else if (event.key === 'Backspace' && text === '' && chosen !== '') form.change(path, undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  useLayer('menu', { Escape: () => setOpen(false) }, open && hits.length > 0);
  return (
    <div
      class="picker"
      onFocusOut={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOpen(false);
      }}
    >
      <div class="pick">
        {chosen !== '' && (
          <span class="token">
            <bdi title={chosen}>{label}</bdi>
            <button
              type="button"
              class="icon"
              aria-label={t('form.takeAway', { name: label })}
              onClick={() => form.change(path, undefined)}
            >
              <Icon name="close" size={14} />
            </button>
          </span>
        )}
        <input
          ref={input}
          id={id}
          role="combobox"
          aria-label={slotTitle(slot)}
          aria-expanded={open}
          aria-controls={`${id}-hits`}
          aria-autocomplete="list"
          aria-activedescendant={open && active ? `${id}-hit-${at}` : undefined}
          aria-describedby={described}
          aria-invalid={form.errorAt(path) !== undefined}
          autoComplete="off"
          placeholder={chosen === '' ? t('form.typeTerm') : ''}
          value={text}
          onClick={() => setOpen(true)}
          onInput={(event) => {
            type(event.currentTarget.value);
            setOpen(true);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      {open && active && (
        <div class="menu-list terms">
          <ul id={`${id}-hits`} role="listbox" aria-label={t('form.terms')}>
            {hits.map((hit, index) => (
              <li
                key={hit.id}
                id={`${id}-hit-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === at}
                onMouseDown={(event) => event.preventDefault()}
                onMouseEnter={() => setAt(index)}
                onClick={() => take(hit)}
              >
                <bdi class="clip">{hit.label ?? hit.value}</bdi>
                <span class="id mono">{hit.value}</span>
              </li>
            ))}
          </ul>
          <About term={active} isBelow={under !== undefined} onBrowse={browse} />
        </div>
      )}
    </div>
  );
}

/** A term in its tree. */
function About({
  term,
  isBelow,
  onBrowse,
}: {
  term: Term;
  isBelow: boolean;
  onBrowse: (term: Term['parents'][number] | Term | undefined) => void;
}) {
  return (
    <div class="about-term">
      {term.definition !== null && <p>{term.definition}</p>}
      <p>
        {isBelow && (
          <button type="button" class="linkish" onClick={() => onBrowse(undefined)}>
            {t('form.allTerms')}
          </button>
        )}
        {term.parents.map((parent) => (
          <button type="button" class="linkish" key={parent.id} onClick={() => onBrowse(parent)}>
            ↑ {parent.label ?? parent.value}
          </button>
        ))}
        {term.narrower && (
          <button type="button" class="linkish" onClick={() => onBrowse(term)}>
            ↓ {t('form.narrower')}
          </button>
        )}
      </p>
    </div>
  );
}
