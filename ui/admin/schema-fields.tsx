/** A value of the configuration as fields, which are made from its JSON Schema: one that a module adds has its fields without code here. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useFocusNext } from '../form/focus-next.ts';
import { entriesInOrder } from '../form/key-order.ts';
import { Icon } from '../shared/icons.tsx';
import { isObject, type Json, type JsonObject, scalarText } from '../shared/json.ts';
import { NameField } from '../shared/name-field.tsx';
import { NamesField } from '../shared/names-field.tsx';
import { SelectField } from '../shared/select-field.tsx';
import { TextField } from '../shared/text-field.tsx';
import { SecretField } from './secret-field.tsx';
import { aboutWords, choiceWords, keyWords, ta, typeWords } from './texts.ts';

/** The part of JSON Schema that the configuration is written in. */
export type Part = {
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly default?: Json;
  readonly examples?: readonly string[];
  /** Whether the service sets it. */
  readonly readOnly?: boolean;
  readonly items?: Part;
  readonly properties?: Readonly<Record<string, Part>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Part | boolean;
  /** Objects that differ in their `type`. */
  readonly oneOf?: readonly Part[];
};

/** Keys and indexes, as problems of the service have them. */
export type Path = readonly (string | number)[];

type Props = {
  readonly part: Part;
  /** Of its elements: names in the path may have blanks, which end an id. */
  readonly id: string;
  readonly path: Path;
  /** By default that of the last key. */
  readonly label?: string;
  readonly value: Json | undefined;
  readonly problemOf: (path: Path) => string | undefined;
  /** Undefined if it has no value. */
  readonly onChange: (value: Json | undefined) => void;
};

/** Values with parts of their own, by what they are edited by. */
const COMPOUND = { list: Items, names: Named, kinds: OfKind, members: Optional } as const;

export function SchemaFields(props: Props) {
  const control = controlOf(props.part);
  if (!isCompound(control)) return <Scalar {...props} />;
  const Compound = COMPOUND[control];
  const about = aboutWords(props.path);
  return (
    <>
      {about !== undefined && <p class="help">{about}</p>}
      <Compound {...props} />
    </>
  );
}

const isCompound = (control: string): control is keyof typeof COMPOUND => Object.hasOwn(COMPOUND, control);

/** By what a value is edited. */
function controlOf({ type, enum: options, items, oneOf, properties, format }: Part) {
  const types = [type].flat();
  if (options) return 'choice';
  if (oneOf) return 'kinds';
  if (types.includes('boolean')) return 'flag';
  if (types.includes('integer')) return 'integer';
  if (types.includes('array')) return items?.type === 'string' ? 'texts' : 'list';
  if (types.includes('object')) return properties ? 'members' : 'names';
  return format === 'password' ? 'secret' : 'text';
}

/** One without words is shown by its key. */
export function labelOf(key: string): string {
  return keyWords(key) ?? key.charAt(0).toUpperCase() + key.slice(1).replaceAll('_', ' ');
}

/** The parts of a value that may be one of several, with a way to remove it. */
function Item({
  id,
  label,
  onRemove,
  children,
}: {
  id: string;
  label: string;
  onRemove: () => void;
  children: ComponentChildren;
}) {
  return (
    <fieldset class="plain-set typed" id={id} tabIndex={-1}>
      <legend class="vh">{label}</legend>
      {children}
      <button type="button" class="btn small" aria-label={`${ta('typedRemove')} ${label}`} onClick={onRemove}>
        <Icon name="trash" size={14} />
        {ta('typedRemove')}
      </button>
    </fieldset>
  );
}

function AddButton({ id, label, onAdd }: { id: string; label: string; onAdd: () => void }) {
  return (
    <button
      type="button"
      class="linkish"
      id={`${id}-add`}
      data-add
      aria-label={`${ta('typedAdd')}: ${label}`}
      onClick={onAdd}
    >
      {ta('typedAdd')}
    </button>
  );
}

/** What a new value has. */
const emptyOf = ({ oneOf }: Part): JsonObject => (oneOf ? { type: kindNames(oneOf)[0] ?? '' } : {});

/** Keys for the items of a list, which their fields keep while others come and go. */
function useItemKeys(): { keyOf(at: number): number; forget(at: number): void } {
  const known = useRef<{ readonly keys: number[]; made: number }>({ keys: [], made: 0 }).current;
  return {
    keyOf: (at) => {
      known.keys[at] ??= known.made++;
      return known.keys[at];
    },
    forget: (at) => known.keys.splice(at, 1),
  };
}

/** Several values. */
function Items({ part: { items = {} }, id, path, value, problemOf, onChange }: Props) {
  const focusNext = useFocusNext();
  const { keyOf, forget } = useItemKeys();
  const label = labelOf(String(path.at(-1)));
  const values = Array.isArray(value) ? value : [];
  const put = (next: readonly Json[], at: number) => {
    onChange([...next]);
    focusNext(next.length === 0 ? `${id}-add` : `${id}-${Math.min(at, next.length - 1)}`);
  };
  return (
    <>
      {values.map((one, at) => (
        <Item
          key={keyOf(at)}
          id={`${id}-${at}`}
          label={(isObject(one) && typeWords(scalarText(one.type))) || `${label} ${at + 1}`}
          onRemove={() => {
            forget(at);
            put(values.toSpliced(at, 1), at);
          }}
        >
          <SchemaFields
            {...{ problemOf }}
            part={items}
            id={`${id}-${at}`}
            path={[...path, at]}
            value={one}
            onChange={(next) => onChange(values.with(at, next ?? null))}
          />
        </Item>
      ))}
      <AddButton {...{ id, label }} onAdd={() => put([...values, emptyOf(items)], values.length)} />
    </>
  );
}

/** Values by their names, which may be any. */
function Named({ part, id, path, value, problemOf, onChange }: Props) {
  const [order, setOrder] = useState<readonly string[]>([]);
  const focusNext = useFocusNext();
  const { keyOf, forget } = useItemKeys();
  const of = typeof part.additionalProperties === 'object' ? part.additionalProperties : {};
  const key = String(path.at(-1));
  const label = labelOf(key);
  const entries = entriesInOrder(isObject(value) ? value : {}, order);
  const names = entries.map(([name]) => name);
  const put = (next: readonly (readonly [string, Json])[]) => {
    setOrder(next.map(([name]) => name));
    onChange(Object.fromEntries(next));
  };
  const add = () => {
    // One that has no name yet is the new one.
    const at = names.indexOf('');
    if (at < 0) put([...entries, ['', of.enum?.[0] ?? {}]]);
    focusNext(`${id}-${at < 0 ? entries.length : at}`);
  };
  return (
    <>
      {entries.map(([name, one], at) => (
        <Item
          key={keyOf(at)}
          id={`${id}-${at}`}
          label={name || `${label} ${at + 1}`}
          onRemove={() => {
            forget(at);
            put(entries.toSpliced(at, 1));
            focusNext(entries.length === 1 ? `${id}-add` : `${id}-${Math.min(at, entries.length - 2)}`);
          }}
        >
          <NameField
            id={`${id}-${at}-name`}
            label={labelOf('name')}
            name={name}
            others={names.toSpliced(at, 1)}
            problem={problemOf([...path, name])}
            onRename={(next) => put(entries.with(at, [next, one]))}
          />
          <SchemaFields
            {...{ problemOf }}
            part={of}
            label={labelOf(`${key}_value`)}
            id={`${id}-${at}-value`}
            path={[...path, name]}
            value={one}
            onChange={(next) => put(entries.with(at, [name, next ?? {}]))}
          />
        </Item>
      ))}
      <AddButton {...{ id, label }} onAdd={add} />
    </>
  );
}

/** An object, which may be missing if it needs some of its members. */
function Optional(props: Props) {
  const { part, id, path, value, onChange } = props;
  const focusNext = useFocusNext();
  const label = labelOf(String(path.at(-1)));
  const isItem = path.length > 1;
  if (isItem || !part.required?.length) return <Members {...props} />;
  if (!isObject(value))
    return (
      <AddButton
        {...{ id, label }}
        onAdd={() => {
          onChange({});
          focusNext(id);
        }}
      />
    );
  return (
    <Item
      {...{ id, label }}
      onRemove={() => {
        onChange(undefined);
        focusNext(`${id}-add`);
      }}
    >
      <Members {...props} />
    </Item>
  );
}

function Members({ part: { properties = {}, required = [] }, id, path, value, problemOf, onChange }: Props) {
  const object = isObject(value) ? value : {};
  const put = (name: string, next: Json | undefined) => {
    const kept = Object.entries(object).filter(([key]) => key !== name && !properties[key]?.readOnly);
    onChange({ ...Object.fromEntries(kept), ...(next !== undefined && { [name]: next }) });
  };
  return Object.entries(properties).map(([name, part]) => {
    const props = {
      part,
      problemOf,
      id: `${id}-${name}`,
      path: [...path, name],
      value: object[name],
      onChange: (next: Json | undefined) => put(name, next),
    };
    if (part.readOnly) return null;
    if (!isCompound(controlOf(part)))
      return <Scalar key={name} {...props} isNeeded={required.includes(name)} />;
    return (
      <fieldset class="plain-set field" key={name}>
        <legend class="label">{labelOf(name)}</legend>
        <SchemaFields {...props} />
      </fieldset>
    );
  });
}

const kindNames = (kinds: readonly Part[]) =>
  kinds.flatMap(({ properties: { type } = {} }) => type?.enum ?? type?.const ?? []);

/** A value of a type: what it may have depends on that. */
function OfKind(props: Props) {
  const { part, id, path, value, problemOf, onChange } = props;
  const kinds = part.oneOf ?? [];
  const object = isObject(value) ? value : {};
  const type = scalarText(object.type);
  const kindOf = (name: string) => {
    const kind = kinds.find((one) => kindNames([one]).includes(name));
    const { type: _, ...properties } = kind?.properties ?? {};
    return { ...kind, properties };
  };
  /** What another type has as well stays. */
  const choose = (next: string) => {
    const { properties } = kindOf(next);
    const kept = Object.entries(object).filter(([name]) => Object.hasOwn(properties, name));
    onChange({ ...Object.fromEntries(kept), type: next });
  };
  return (
    <>
      <SelectField
        id={`${id}-type`}
        label={labelOf('type')}
        value={type}
        problem={problemOf([...path, 'type'])}
        onChoose={choose}
      >
        {!kindNames(kinds).includes(type) && <option value={type}>{typeWords(type)}</option>}
        {kindNames(kinds).map((one) => (
          <option key={one} value={one}>
            {typeWords(one) === one ? one : `${typeWords(one)} (${one})`}
          </option>
        ))}
      </SelectField>
      <Members {...props} part={kindOf(type)} />
    </>
  );
}

function Scalar({
  part,
  id,
  path,
  label = labelOf(String(path.at(-1))),
  value,
  isNeeded = false,
  problemOf,
  onChange,
}: Props & { isNeeded?: boolean }) {
  const control = controlOf(part);
  const [example = ''] = part.examples ?? [];
  const preset = part.default === undefined ? example : scalarText(part.default);
  const common = { id, label, help: aboutWords(path), problem: problemOf(path) };
  if (control === 'secret') return <SecretField {...common} {...{ value, onChange }} />;
  if (control === 'flag')
    return (
      <label class="check-line" for={id}>
        <input
          type="checkbox"
          id={id}
          checked={(value ?? part.default) === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {label}
      </label>
    );
  if (control === 'choice')
    return (
      <SelectField
        {...common}
        value={scalarText(value)}
        onChoose={(next) => onChange(next === '' ? undefined : next)}
      >
        {(!isNeeded || value === undefined) && <option value="">{choiceWords(preset) || '–'}</option>}
        {part.enum!.map((one) => (
          <option key={one} value={one}>
            {choiceWords(one)}
          </option>
        ))}
      </SelectField>
    );
  if (control === 'texts')
    return (
      <NamesField
        {...common}
        mono
        autocomplete="off"
        required={isNeeded}
        placeholder={preset}
        names={Array.isArray(value) ? value.map(scalarText) : []}
        onNames={(names) => onChange(names.length === 0 ? undefined : names)}
      />
    );
  const typed = (text: string): Json | undefined => {
    if (text === '') return undefined;
    return control === 'integer' && /^\d{1,15}$/.test(text) ? Number(text) : text;
  };
  return (
    <TextField
      {...common}
      mono
      autocomplete="off"
      required={isNeeded}
      placeholder={preset}
      value={scalarText(value)}
      onText={(text) => onChange(typed(text))}
    />
  );
}
