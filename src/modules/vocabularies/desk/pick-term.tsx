/** Picks a term of a vocabulary by typing its label; shows its definition and the terms above it, and leads to those below. */
import { useState } from 'preact/hooks';
import { Combobox, Option, useCombobox } from '../../../../ui/form/combobox.tsx';
import type { ControlProps } from '../../../../ui/form/control.tsx';
import { idOf } from '../../../../ui/form/field.tsx';
import { scalarText } from '../../../../ui/shared/json.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { HITS } from '../../../../ui/shared/records.ts';
import type { Range } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { type Term, vocabularies } from '../client.ts';
import { tv } from './texts.ts';

/** Terms of all vocabularies of an enum that match, and the values that the schema lists. */
async function findTerms(
  collection: string,
  range: TermRange,
  query: { q: string; under: string | undefined },
  signal: AbortSignal,
): Promise<Term[]> {
  const found = await Promise.all(
    range.vocabularies.map((name) =>
      lab(collection, signal)
        .use(vocabularies)
        .terms(name, { ...query, enum: range.enum, limit: HITS }),
    ),
  );
  return found.flatMap(({ items }) => items);
}

type TermRange = Extract<Range, { kind: 'enum' }> & { readonly vocabularies: readonly string[] };

/** @param control of a slot whose range {@link TermRange} describes */
export function PickTerm(control: ControlProps) {
  const { form, path, value, slot } = control;
  const range = slot.range as TermRange;
  const id = idOf(path);
  const chosen = scalarText(value);
  const state = useCombobox(control);
  const { open, at, wanted } = state;
  const [under, setUnder] = useState<Term['parents'][number] | Term>();
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
    state.clear();
  };
  const browse = (term: Term['parents'][number] | Term | undefined) => {
    setUnder(term);
    state.type('');
    // The button that was pressed may be gone with its term.
    state.input.current?.focus();
  };
  return (
    <Combobox
      control={control}
      state={state}
      chosen={
        chosen === '' ? [] : [{ value: chosen, name: label, content: <bdi title={chosen}>{label}</bdi> }]
      }
      placeholder={tv('typeTerm')}
      options={hits.length}
      hasActive={active !== undefined}
      onChoose={(index) => take(hits[index]!)}
      onRemove={() => form.change(path, undefined)}
    >
      <div class="menu-list terms">
        <ul id={`${id}-hits`} role="listbox" aria-label={tv('terms')}>
          {hits.map((hit, index) => (
            <Option
              key={hit.id}
              id={`${id}-hit-${index}`}
              selected={index === at}
              onEnter={() => state.setAt(index)}
              onTake={() => take(hit)}
            >
              <bdi class="clip">{hit.label ?? hit.value}</bdi>
              <span class="id mono">{hit.value}</span>
            </Option>
          ))}
        </ul>
        {active && <About term={active} isBelow={under !== undefined} onBrowse={browse} />}
      </div>
    </Combobox>
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
            {tv('allTerms')}
          </button>
        )}
        {term.parents.map((parent) => (
          <button type="button" class="linkish" key={parent.id} onClick={() => onBrowse(parent)}>
            ↑ {parent.label ?? parent.value}
          </button>
        ))}
        {term.narrower && (
          <button type="button" class="linkish" onClick={() => onBrowse(term)}>
            ↓ {tv('narrower')}
          </button>
        )}
      </p>
    </div>
  );
}
