/** The fields of an object within the record. */
import { useState } from 'preact/hooks';
import { Icon } from '../shared/icons.tsx';
import { isEmpty, isObject, type Json } from '../shared/json.ts';
import { useLoad } from '../shared/load.ts';
import { type Range, SCHEMA_TYPE, type Slot, slotTitle } from '../shared/schema.ts';
import { t } from '../texts/texts.ts';
import { Field, type FormContext, idOf, type Path } from './field.tsx';
import { useFocusNext } from './focus-next.ts';

type Props = {
  form: FormContext;
  slot: Slot;
  path: Path;
  value: Json | undefined;
  range: Extract<Range, { kind: 'class' }>;
  hideKey?: boolean;
};

export function NestedFields({ form, slot, path, value, range, hideKey = false }: Props) {
  const isItem = typeof path.at(-1) === 'number' || hideKey;
  const [open, setOpen] = useState(isItem || !isEmpty(value));
  const object = isObject(value) ? value : {};
  const named = typeof object[SCHEMA_TYPE] === 'string' ? object[SCHEMA_TYPE] : undefined;
  const [chosen, setChosen] = useState<string>();
  const focusNext = useFocusNext();
  const id = idOf(path);
  const fieldsId = `${id}--fields`;
  const className = chosen ?? range.class;
  const { value: description } = useLoad(open ? `${form.collection}/${className}` : undefined, () =>
    form.classOf(className),
  );
  if (!open) {
    return (
      <div>
        <button
          type="button"
          class="btn small"
          id={id}
          data-add
          onClick={() => {
            setOpen(true);
            focusNext(fieldsId);
          }}
        >
          <Icon name="plus" size={14} />
          {t('form.addOne', { name: slotTitle(slot) })}
        </button>
      </div>
    );
  }
  if (!description)
    return (
      <div id={fieldsId} tabIndex={-1}>
        <p class="faint">…</p>
      </div>
    );
  const designator = description.slots.find(({ designates_type }) => designates_type);
  const choose = async (name: string) => {
    setChosen(name);
    const { [SCHEMA_TYPE]: type } = await form.classOf(name);
    if (designator) form.change([...path, designator.name], name === range.class ? undefined : type);
  };
  const slots = description.slots.filter(
    ({ designates_type, identifier, key }) => !designates_type && !(hideKey && (identifier || key)),
  );
  const inOrder = [...slots.filter(({ required }) => required), ...slots.filter(({ required }) => !required)];
  return (
    <div class={isItem ? 'nested-fields' : 'nested-fields framed'} id={fieldsId} tabIndex={-1}>
      {designator && range.classes.length > 1 && (
        <div class="field">
          <label for={`${id}-class`}>{t('form.class')}</label>
          <select
            class="input"
            id={`${id}-class`}
            value={named ? className : (chosen ?? range.class)}
            onChange={(event) => choose(event.currentTarget.value)}
          >
            {range.classes.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
      )}
      {inOrder.map((one) => (
        <Field key={one.name} form={form} slot={one} path={[...path, one.name]} value={object[one.name]} />
      ))}
      {!isItem && (
        <div>
          <button
            type="button"
            class="btn small quiet"
            onClick={() => {
              form.change(path, undefined);
              setOpen(false);
              focusNext(id);
            }}
          >
            <Icon name="close" size={14} />
            {t('form.remove', { name: slotTitle(slot) })}
          </button>
        </div>
      )}
    </div>
  );
}
