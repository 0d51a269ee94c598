/** The value of a slot that a record gets with another schema: its control, or what leads to the form of the record. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Control } from '../../../../ui/form/control.tsx';
import { type FormContext, fitsCell, idOf, isGroup, type Path } from '../../../../ui/form/field.tsx';
import { type FormSchema, pathOf } from '../../../../ui/form/record-form.tsx';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { isEqual, type Json, withValue } from '../../../../ui/shared/json.ts';
import { problemWords } from '../../../../ui/shared/problem-words.ts';
import { shortValue } from '../../../../ui/shared/scalar.tsx';
import { type ClassDescription, type Slot, slotTitle } from '../../../../ui/shared/schema.ts';
import { asClientError } from '../../../../ui/shared/service.ts';
import type { RehearsedRecord } from '../client.ts';
import {
  type Correction,
  type Corrections,
  correctedRecord,
  correctionTo,
  isCorrected,
} from './corrections.ts';
import { ts } from './texts.ts';

/** A form that consists of one value, for its control. */
export function formOfValue(
  { collection, schema }: { collection: string; schema: FormSchema },
  path: Path,
  value: Json | undefined,
  onValue: (value: Json | undefined) => void,
): FormContext {
  return {
    collection,
    classOf: schema.classOf,
    change: (at, next) => {
      const rest = at.slice(path.length);
      onValue(rest.length === 0 ? next : withValue(value, rest, next));
    },
    errorAt: () => undefined,
    leave: () => {},
    begin: () => {},
    setUnfinished: () => {},
    isChanged: () => false,
    revealed: undefined,
  };
}

export function CorrectedValue(props: {
  collection: string;
  schema: FormSchema;
  description: ClassDescription;
  item: RehearsedRecord;
  /** Which record of the list it is, for ids. */
  index: number;
  slot: string;
  values: Corrections['values'];
  onCorrect: (corrections: readonly Correction[]) => void;
  onFillDown: () => void;
  /** Opens the form of the record. */
  onOpen: () => void;
}) {
  const { schema, description, item, index, slot: name, values, onCorrect } = props;
  const slot = description.slots.find((one) => one.name === name);
  const [found, setFound] = useState<{ readonly value: Json | undefined; readonly words: string }>();
  const record = correctedRecord(item, values);
  const value = record[name];
  const path = [index, name];
  const id = idOf(path);
  const problem = found && isEqual(found.value, value) ? found.words : '';
  const correct = (next: Json | undefined) => onCorrect([correctionTo(item, name, next)]);
  const words = { slot: slot ? slotTitle(slot) : name, pid: item.pid };
  const isChanged = isCorrected(values, item, name);
  const check = async () => {
    if (!isChanged) return;
    try {
      await schema.check(description.class, record);
    } catch (error) {
      const problems = asClientError(error).problems.filter((one) => pathOf(one)[0] === name);
      setFound({ value, words: problems.map((one) => problemWords(one)).join('\n') });
    }
  };
  return (
    <div
      class={problem === '' ? 'filled' : 'filled field bad'}
      onKeyDown={(event) => {
        if (event.key !== 'd' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        props.onFillDown();
      }}
    >
      {slot && fitsCell(slot) ? (
        <Labeled slot={slot} id={id} label={ts('correctionOf', words)} onLeave={check}>
          <Control
            form={{ ...formOfValue(props, path, value, correct), errorAt: () => problem || undefined }}
            {...{ slot, path, value }}
            described={problem === '' ? undefined : `${id}-error`}
          />
        </Labeled>
      ) : (
        <button
          type="button"
          class="btn small"
          aria-label={ts('correctionOf', words)}
          disabled={slot === undefined || slot.identifier}
          onClick={props.onOpen}
        >
          <Icon name="pencil" size={12} />{' '}
          {slot ? shortValue(value, slot.range, () => undefined) : JSON.stringify(value)}
        </button>
      )}
      {isChanged && (
        <>
          <button
            type="button"
            class="btn small"
            aria-label={ts('fillDownOf', words)}
            onClick={props.onFillDown}
          >
            {ts('fillDown')} <Icon name="down" size={12} />
          </button>
          <button
            type="button"
            class="icon"
            aria-label={ts('asBefore', words)}
            title={ts('asBefore', words)}
            onClick={() => onCorrect([{ pid: item.pid, slot: name, value: undefined }])}
          >
            <Icon name="close" />
          </button>
        </>
      )}
      {problem !== '' && (
        <p class="error pre" id={`${id}-error`} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

/** A control with a name that is not on the screen: the row and the column say it. */
function Labeled(props: {
  slot: Slot;
  id: string;
  label: string;
  onLeave: () => void;
  children: ComponentChildren;
}) {
  const { slot, id, label, onLeave, children } = props;
  const onFocusOut = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!(currentTarget as Element).contains(relatedTarget as Node | null)) onLeave();
  };
  if (isGroup(slot))
    return (
      <fieldset class="plain-set" onFocusOut={onFocusOut}>
        <legend class="vh">{label}</legend>
        {children}
      </fieldset>
    );
  return (
    <div onFocusOut={onFocusOut}>
      <label class="vh" for={id}>
        {label}
      </label>
      {children}
    </div>
  );
}
