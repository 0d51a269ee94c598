/** A field in which people type to choose: what is chosen, the input, and a list below it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../shared/icons.tsx';
import { useLayer } from '../shared/keys.ts';
import { useDebounced } from '../shared/load.ts';
import { slotTitle } from '../shared/schema.ts';
import { t } from '../texts/texts.ts';
import type { ControlProps } from './control.tsx';
import { idOf } from './field.tsx';
import { useFocusNext } from './focus-next.ts';

/** The typed text, the active option, and whether the list is open. */
export function useCombobox({ form, path }: Pick<ControlProps, 'form' | 'path'>) {
  const [text, setText] = useState('');
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  // A field that is gone asks for nothing.
  useEffect(() => () => form.setUnfinished(path, ''), []);
  const type = (typed: string) => {
    setText(typed);
    setAt(0);
    form.setUnfinished(path, typed.trim());
  };
  const clear = () => {
    type('');
    setOpen(false);
  };
  return { text, type, clear, open, setOpen, at, setAt, input, wanted: useDebounced(text.trim()) };
}

type ChosenOption = {
  readonly value: string;
  readonly name: string;
  readonly content: ComponentChildren;
};

export function Combobox(props: {
  control: ControlProps;
  state: ReturnType<typeof useCombobox>;
  chosen: readonly ChosenOption[];
  placeholder: string;
  /** The number of options. */
  options: number;
  /** Whether the active option is there: the list may have become shorter. */
  hasActive: boolean;
  onChoose: (at: number) => void;
  onRemove: (value: string) => void;
  /** The list, with the options as {@link Option}. */
  children: ComponentChildren;
  dialog?: ComponentChildren;
}) {
  const { control, state, chosen, options, hasActive } = props;
  const { form, slot, path, described } = control;
  const { text, open, setOpen, at, setAt } = state;
  const id = idOf(path);
  const isShown = open && hasActive;
  const last = chosen.at(-1);
  const focusNext = useFocusNext();
  const chosenId = (index: number) => `${id}-chosen-${index}`;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') {
      setOpen(true);
      setAt(Math.min(at + 1, options - 1));
    } else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
    else if (event.key === 'Enter' && isShown && !event.ctrlKey) props.onChoose(at);
    else if (event.key === 'Backspace' && text === '' && last) props.onRemove(last.value);
    else return;
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
        {chosen.map(({ value, name, content }, index) => (
          <span class="token" key={value}>
            {content}
            <button
              type="button"
              class="icon"
              id={chosenId(index)}
              aria-label={t('form.takeAway', { name })}
              onClick={() => {
                props.onRemove(value);
                focusNext(index + 1 < chosen.length ? chosenId(index) : id);
              }}
            >
              <Icon name="close" size={14} />
            </button>
          </span>
        ))}
        <input
          ref={state.input}
          id={id}
          role="combobox"
          aria-label={slotTitle(slot)}
          aria-expanded={open}
          aria-controls={`${id}-hits`}
          aria-autocomplete="list"
          aria-activedescendant={isShown ? `${id}-hit-${at}` : undefined}
          aria-describedby={described}
          aria-invalid={form.errorAt(path) !== undefined}
          autoComplete="off"
          placeholder={chosen.length === 0 ? props.placeholder : ''}
          value={text}
          onClick={() => setOpen(true)}
          onInput={(event) => {
            state.type(event.currentTarget.value);
            setOpen(true);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      {isShown && props.children}
      {props.dialog}
    </div>
  );
}

export function Option(props: {
  id: string;
  selected: boolean;
  make?: boolean;
  onTake: () => void;
  onEnter?: () => void;
  children: ComponentChildren;
}) {
  return (
    <li
      id={props.id}
      role="option"
      tabIndex={-1}
      aria-selected={props.selected}
      class={props.make ? 'make' : undefined}
      onMouseDown={(event) => event.preventDefault()}
      onMouseEnter={props.onEnter}
      onClick={props.onTake}
    >
      {props.children}
    </li>
  );
}
