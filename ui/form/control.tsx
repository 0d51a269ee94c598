/** The control for a value, by the range of its slot. */
import { useContext, useRef, useState } from 'preact/hooks';
import { DayField } from '../shared/day-field.tsx';
import { useFetched } from '../shared/fetched.ts';
import { anyValueFrom, isEqual, isObject, type Json, parseJson, scalarText } from '../shared/json.ts';
import { isCode, isNumeric } from '../shared/scalar.tsx';
import type { Slot } from '../shared/schema.ts';
import { numberText, storedNumber } from '../shared/time.ts';
import { t } from '../texts/texts.ts';
import { Controls, type ModuleControl } from './controls.ts';
import { type FormContext, idOf, isBoolean, type Path } from './field.tsx';
import { Listed } from './listed.tsx';
import { Moment } from './moment.tsx';
import { momentParts } from './moment-parts.ts';
import { NestedFields } from './nested.tsx';
import { Pick } from './pick.tsx';

export type ControlProps = {
  form: FormContext;
  slot: Slot;
  path: Path;
  value: Json | undefined;
  described?: string | undefined;
};

const RADIOS = 5;

export function Control(props: ControlProps) {
  const { slot } = props;
  const { range } = slot;
  if (range.kind === 'class' && !range.inlined) return <Pick {...props} range={range} />;
  if (range.kind === 'class' && (slot.multivalued || range.inlining === 'dict')) return <Listed {...props} />;
  if (range.kind === 'class') return <NestedFields {...props} range={range} />;
  if (slot.multivalued) return <Listed {...props} />;
  return <Scalar {...props} />;
}

/** A single value that is not an object. */
export function Scalar({ form, slot, path, value, described }: ControlProps) {
  const id = idOf(path);
  const { range } = slot;
  const change = (next: Json | undefined) => form.change(path, next);
  const text = scalarText(value);
  const common = { id, 'aria-describedby': described, 'aria-invalid': form.errorAt(path) !== undefined };
  if (isBoolean(slot)) {
    const options = [
      ['true', t('value.yes'), true],
      ['false', t('value.no'), false],
      ['', t('form.noValue'), undefined],
    ] as const;
    return (
      <div class="radios" aria-describedby={described}>
        {options.map(([key, word, next]) => (
          <label key={key}>
            <input
              type="radio"
              name={id}
              id={key === 'true' ? id : undefined}
              checked={text === key}
              onChange={() => change(next)}
            />
            {word}
          </label>
        ))}
      </div>
    );
  }
  const ofModule = useContext(Controls).find(({ fits }) => fits(range));
  if (ofModule) return <LoadedControl {...{ form, slot, path, value, described }} control={ofModule} />;
  if (range.kind === 'enum' && !range.open) {
    const values = range.values;
    if (values.length <= RADIOS) {
      return (
        <div class="radios" aria-describedby={described}>
          {values.map((one, index) => (
            <label key={one.value} title={one.description ?? undefined}>
              <input
                type="radio"
                name={id}
                id={index === 0 ? id : undefined}
                checked={text === one.value}
                onChange={() => change(one.value)}
              />
              {one.title ?? one.value}
            </label>
          ))}
          {!slot.required && (
            <label>
              <input type="radio" name={id} checked={text === ''} onChange={() => change(undefined)} />
              {t('form.noValue')}
            </label>
          )}
        </div>
      );
    }
    return (
      <select
        class="input"
        {...common}
        value={text}
        onChange={(event) => change(event.currentTarget.value || undefined)}
      >
        <option value="">{t('form.noValue')}</option>
        {values.map((one) => (
          <option key={one.value} value={one.value}>
            {one.title ?? one.value}
          </option>
        ))}
      </select>
    );
  }
  if (
    range.kind === 'any' ||
    range.kind === 'union' ||
    range.kind === 'array' ||
    isObject(value) ||
    Array.isArray(value)
  )
    return <AnyValue {...common} value={value} onChange={change} />;
  if (range.kind === 'type' && range.type === 'date') {
    return (
      <DayField
        {...common}
        value={text}
        onInput={(event) => change(event.currentTarget.value || undefined)}
      />
    );
  }
  const moment = range.kind === 'type' && ['datetime', 'time'].includes(range.type) ? range.type : undefined;
  const parts = moment && momentParts(moment as 'datetime' | 'time', text);
  if (parts) return <Moment {...common} parts={parts} onChange={change} />;
  if (isNumeric(range)) return <NumberInput {...common} value={value} onChange={change} />;
  const isLong =
    range.kind === 'type' &&
    range.type === 'string' &&
    (/description|comment|abstract|note|summary/i.test(slot.name) || text.length > 80 || text.includes('\n'));
  const onInput = (event: { currentTarget: { value: string } }) =>
    change(event.currentTarget.value === '' ? undefined : event.currentTarget.value);
  if (isLong)
    return (
      <textarea
        class="input grow"
        {...common}
        rows={Math.min(12, Math.max(2, text.split('\n').length + Math.floor(text.length / 80)))}
        value={text}
        onInput={onInput}
        dir="auto"
      />
    );
  return (
    <input
      class={isCode(range) ? 'input mono' : 'input'}
      {...common}
      value={text}
      onInput={onInput}
      dir="auto"
      autoComplete="off"
    />
  );
}

/** The control of a module. If it cannot be loaded, the value is typed. */
function LoadedControl({ control, ...props }: ControlProps & { control: ModuleControl }) {
  const { part: View, error } = useFetched(control.name, control.view);
  if (View) return <View {...props} />;
  const { form, path, value } = props;
  return (
    <input
      class="input"
      id={idOf(path)}
      value={scalarText(value)}
      disabled={error === undefined}
      onInput={(event) => form.change(path, event.currentTarget.value || undefined)}
    />
  );
}

/** A number, in the language of the user. While it is typed, it stays as it is typed, and thousands are not set apart. */
function NumberInput({
  value,
  onChange,
  ...common
}: {
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
  id: string;
}) {
  const stored = scalarText(value);
  const [typed, setTyped] = useState<string>();
  // A string that was stored stays one; what is typed on the way to a number is a string for a moment.
  const isText = useRef(typeof value === 'string' && storedNumber(value) !== undefined).current;
  return (
    <input
      class="input num"
      inputMode="decimal"
      autoComplete="off"
      {...common}
      value={typed ?? numberText(stored)}
      onFocus={({ currentTarget: input }) => {
        const plain = numberText(stored, false);
        if (plain === input.value) return;
        input.value = plain;
        input.select();
        setTyped(plain);
      }}
      onBlur={() => setTyped(undefined)}
      onInput={({ currentTarget: { value: text } }) => {
        setTyped(text);
        const number = storedNumber(text);
        onChange(
          text.trim() === ''
            ? undefined
            : number === undefined || isText
              ? (number ?? text)
              : parseJson(number),
        );
      }}
    />
  );
}

/** Each letter changes the value, so that a reload keeps it; the text stays as it was typed. */
function AnyValue({
  value,
  onChange,
  ...common
}: {
  value: Json | undefined;
  onChange: (value: Json | undefined) => void;
  id: string;
}) {
  const [typed, setTyped] = useState('');
  const stored =
    value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <textarea
      class="input grow mono"
      {...common}
      rows={4}
      value={typed !== '' && isEqual(anyValueFrom(typed), value) ? typed : stored}
      onInput={(event) => {
        setTyped(event.currentTarget.value);
        onChange(anyValueFrom(event.currentTarget.value));
      }}
    />
  );
}
