/** One slot as a field of a form: label, control by range, help, and what the service says about it. */
import type { ComponentChildren } from 'preact';
import { describedBy } from '../shared/field-notes.tsx';
import { isEmpty, type Json } from '../shared/json.ts';
import { usePerson } from '../shared/people.ts';
import { type ClassDescription, type Slot, slotTitle } from '../shared/schema.ts';
import { StateMark } from '../shared/state.tsx';
import { t } from '../texts/texts.ts';
import { Control } from './control.tsx';
import { exampleOf } from './pattern-example.ts';

export type Path = readonly (string | number)[];

/** The form, as its fields see it. */
export type FormContext = {
  readonly collection: string;
  /** A class of the schema by which the record is checked. */
  readonly classOf: (name: string) => Promise<ClassDescription>;
  /** The message of the service about a path, once the field was left. */
  readonly errorAt: (path: Path) => string | undefined;
  readonly change: (path: Path, value: Json | undefined) => void;
  readonly leave: (path: Path) => void;
  /** Notes an item that was added: its fields have not been left yet, though its list may have been. */
  readonly begin: (path: Path) => void;
  /** Notes what was typed into a field and is not a value yet; `''` if nothing is. */
  readonly setUnfinished: (path: Path, text: string) => void;
  readonly isChanged: (path: Path) => boolean;
  /** The path that was last revealed, for lists that show a part of their values. */
  readonly revealed: Path | undefined;
};

export function idOf(path: Path): string {
  return `f-${path.join('-').replace(/[^\w-]/g, '_')}`;
}

/** The id of a field with its label and messages; {@link idOf} is that of its control. */
export function fieldId(path: Path): string {
  return `${idOf(path)}--field`;
}

export function Field({
  form,
  slot,
  path,
  value,
  hint,
}: {
  form: FormContext;
  slot: Slot;
  path: Path;
  value: Json | undefined;
  hint?: ComponentChildren;
}) {
  const id = idOf(path);
  const person = usePerson();
  const error = form.errorAt(path);
  const label = (
    <>
      {slotTitle(slot)} {slot.required && <span class="req">{t('form.required')}</span>}
      {form.isChanged(path) && !slot.identifier && (
        <span class="dot" title={t('form.changed')}>
          <span class="vh">{t('form.changed')}</span>
        </span>
      )}
    </>
  );
  const help = helpOf(slot);
  const described = describedBy(id, { problem: error, help });
  const content = (
    <>
      <Control form={form} slot={slot} path={path} value={value} described={described} />
      {error && (
        <p class="error" id={`${id}-error`}>
          <StateMark name="rejected" />
          <span class="pre">{error}</span>
        </p>
      )}
      {help && (
        <p class="help" id={`${id}-help`}>
          {help}
        </p>
      )}
      {person?.mayOffer(slot) && isEmpty(value) && (
        <person.Offer slot={slot} onChoose={(chosen) => form.change(path, chosen)} />
      )}
      {hint}
    </>
  );
  const onFocusOut = (event: FocusEvent) => {
    const inside = (event.currentTarget as Element).contains(event.relatedTarget as Node | null);
    if (!inside) form.leave(path);
  };
  if (isGroup(slot)) {
    return (
      <fieldset
        class={error ? 'field bad plain-set' : 'field plain-set'}
        onFocusOut={onFocusOut}
        id={fieldId(path)}
        data-path={path.join('/')}
        data-empty={isEmpty(value) ? '' : undefined}
      >
        <legend class="label">{label}</legend>
        {content}
      </fieldset>
    );
  }
  return (
    <div
      class={error ? 'field bad' : 'field'}
      onFocusOut={onFocusOut}
      id={fieldId(path)}
      data-path={path.join('/')}
    >
      <label for={id}>{label}</label>
      {content}
    </div>
  );
}

/** Whether the control of a slot consists of several, which a label alone would not name. */
export function isGroup(slot: Slot): boolean {
  const { range } = slot;
  return (
    slot.multivalued || (range.kind === 'class' && range.inlined) || range.kind === 'enum' || isBoolean(slot)
  );
}

/** Whether a slot is edited in a table: a single value, and none that makes the record another one. */
export function fitsCell({ range, multivalued, identifier, designates_type }: Slot): boolean {
  return !multivalued && !identifier && !designates_type && !(range.kind === 'class' && range.inlined);
}

export function isBoolean({ range }: Slot): boolean {
  return (
    range.kind === 'type' && (range.type === 'boolean' || range.base === 'Bool' || range.base === 'bool')
  );
}

/** The values that a slot accepts, in words. */
export function helpOf({
  description,
  range,
  pattern,
  minimum_value: least,
  maximum_value: most,
}: Slot): string | undefined {
  const parts = [description ?? (range.kind === 'type' ? own(range.description) : undefined)];
  const min = least ?? (range.kind === 'type' ? range.minimum_value : undefined);
  const max = most ?? (range.kind === 'type' ? range.maximum_value : undefined);
  if (min !== undefined && max !== undefined)
    parts.push(t('form.between', { min: String(min), max: String(max) }));
  else if (min !== undefined) parts.push(t('form.atLeast', { min: String(min) }));
  else if (max !== undefined) parts.push(t('form.atMost', { max: String(max) }));
  if (pattern && !/^\^?\.\*\$?$/.test(pattern)) {
    const example = exampleOf(pattern);
    parts.push(example === undefined ? t('form.pattern', { pattern }) : t('form.example', { example }));
  }
  const text = parts.filter(Boolean).join(' ');
  return text === '' ? undefined : text;
}

/** Descriptions of the built-in types explain LinkML, not the slot. */
function own(description: string | null): string | undefined {
  return description &&
    description.length < 120 &&
    !/character string|A binary|real number|An integer|floating|date \(year|combination of a date|URI or a CURIE|complete URI/i.test(
      description,
    )
    ? description
    : undefined;
}
