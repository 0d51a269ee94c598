/**
 * Storage, sources of tokens and audit of a collection as fields. They are made from the JSON Schema of the configuration, so a type that a
 * module adds has its fields without code here.
 */
import { Icon } from '../shared/icons.tsx';
import { isObject, type Json, type JsonObject, scalarText } from '../shared/json.ts';
import { useLoad } from '../shared/load.ts';
import { SelectField } from '../shared/select-field.tsx';
import { service } from '../shared/service.ts';
import { TextField } from '../shared/text-field.tsx';
import { t } from '../texts/texts.ts';
import { keyWords, ta, typeWords } from './texts.ts';

/** The attributes whose values have a type, and whether there may be several. */
const ATTRIBUTES = { backend: false, auth_sources: true, audit_backends: true } as const;

type Member = {
  readonly type?: string | readonly string[];
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: Json;
  readonly items?: Member;
};
type Kind = {
  readonly properties: Readonly<Record<string, Member>>;
  readonly required?: readonly string[];
};
type Attribute = { readonly oneOf?: readonly Kind[]; readonly items?: { readonly oneOf?: readonly Kind[] } };

type Path = readonly (string | number)[];
type ProblemOf = (path: Path) => string | undefined;

/** What the service says of the attributes of collections. */
async function readAttributes(signal: AbortSignal): Promise<Readonly<Record<string, Attribute>>> {
  const response = await service({ signal }).send('GET', '/openapi.json');
  const { components } = (await response.json()) as {
    components: { schemas: { Collection: { properties: Record<string, Attribute> } } };
  };
  return components.schemas.Collection.properties;
}

/** The kinds of values of an attribute, by their types. */
function kindsOf({ oneOf, items }: Attribute): ReadonlyMap<string, Kind> {
  return new Map(
    (items?.oneOf ?? oneOf ?? []).flatMap((kind) => {
      const { const: only, enum: several } = kind.properties.type ?? {};
      return (several ?? [only ?? '']).map((type) => [type, kind] as const);
    }),
  );
}

export function TypedFields({
  collection,
  problemOf,
  onChange,
}: {
  collection: JsonObject;
  problemOf: ProblemOf;
  onChange: (changes: JsonObject) => void;
}) {
  const { value: attributes } = useLoad('collection-attributes', readAttributes);
  if (!attributes) return null;
  return Object.entries(ATTRIBUTES).map(([key, isList]) => {
    const kinds = kindsOf(attributes[key] ?? {});
    if (kinds.size === 0) return null;
    const value = collection[key] ?? null;
    const values = (isList && Array.isArray(value) ? value : [value]).filter(isObject);
    const put = (next: readonly JsonObject[]) => onChange({ [key]: isList ? [...next] : (next[0] ?? null) });
    const pathOf = (at: number) => (isList ? [key, at] : [key]);
    const hasProblem = values.some((one, at) =>
      ['type', ...Object.keys(one), ...(kinds.get(scalarText(one.type))?.required ?? [])].some((name) =>
        problemOf([...pathOf(at), name]),
      ),
    );
    return (
      <details class="field spaced" key={key} open={hasProblem}>
        <summary>{t(`collections.${key as keyof typeof ATTRIBUTES}`)}</summary>
        {values.map((one, at) => (
          <fieldset class="plain-set typed" key={at}>
            <legend class="vh">{typeWords(scalarText(one.type))}</legend>
            <TypedValue
              {...{ kinds, problemOf }}
              path={pathOf(at)}
              value={one}
              onChange={(next) => put(values.with(at, next))}
            />
            {isList && (
              <button type="button" class="btn small" onClick={() => put(values.toSpliced(at, 1))}>
                <Icon name="trash" size={14} />
                {ta('typedRemove')}
              </button>
            )}
          </fieldset>
        ))}
        {(isList || values.length === 0) && (
          <button
            type="button"
            class="linkish"
            onClick={() => put([...values, { type: [...kinds.keys()][0] ?? '' }])}
          >
            {ta('typedAdd')}
          </button>
        )}
      </details>
    );
  });
}

/** A value of a type: what it may have depends on that. */
function TypedValue({
  kinds,
  path,
  value,
  problemOf,
  onChange,
}: {
  kinds: ReadonlyMap<string, Kind>;
  path: Path;
  value: JsonObject;
  problemOf: ProblemOf;
  onChange: (value: JsonObject) => void;
}) {
  const type = scalarText(value.type);
  const kind = kinds.get(type);
  const members = Object.entries(kind?.properties ?? {}).filter(([name]) => name !== 'type');
  const put = (name: string, next: Json | undefined) => {
    const { [name]: _, ...others } = value;
    onChange(next === undefined ? others : { ...others, [name]: next });
  };
  /** What another type has as well stays. */
  const choose = (next: string) => {
    const names = new Set(Object.keys(kinds.get(next)?.properties ?? {}));
    onChange({
      ...Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name))),
      type: next,
    });
  };
  const left = members.filter(([, member]) => controlOf(member) === 'json').map(([name]) => labelOf(name));
  return (
    <>
      <SelectField
        id={idOf([...path, 'type'])}
        label={labelOf('type')}
        value={type}
        problem={problemOf([...path, 'type'])}
        onChoose={choose}
      >
        {!kinds.has(type) && <option value={type}>{typeWords(type)}</option>}
        {[...kinds.keys()].map((one) => (
          <option key={one} value={one}>
            {typeWords(one) === one ? one : `${typeWords(one)} (${one})`}
          </option>
        ))}
      </SelectField>
      {members.map(([name, member]) => (
        <MemberField
          key={name}
          {...{ name, member }}
          id={idOf([...path, name])}
          isNeeded={kind?.required?.includes(name) ?? false}
          problem={problemOf([...path, name])}
          value={value[name]}
          onChange={(next) => put(name, next)}
        />
      ))}
      {left.length > 0 && <p class="help">{ta('typedLeft', { names: left.join(', ') })}</p>}
    </>
  );
}

/** One without words is shown by its key. */
function labelOf(key: string): string {
  return keyWords(key) ?? key.charAt(0).toUpperCase() + key.slice(1).replaceAll('_', ' ');
}

const idOf = (path: Path) => `collection-${path.join('-')}`;

/** By what a member is edited. */
function controlOf({ enum: options, type, items }: Member): 'select' | 'integer' | 'text' | 'texts' | 'json' {
  const types = [type].flat();
  if (options) return 'select';
  if (types.includes('integer')) return 'integer';
  if (types.includes('string')) return 'text';
  return types.includes('array') && items?.type === 'string' ? 'texts' : 'json';
}

function MemberField({
  id,
  name,
  member,
  value,
  isNeeded,
  problem,
  onChange,
}: {
  id: string;
  name: string;
  member: Member;
  value: Json | undefined;
  isNeeded: boolean;
  problem: string | undefined;
  /** Undefined if it has no value. */
  onChange: (value: Json | undefined) => void;
}) {
  const control = controlOf(member);
  const preset = member.default === undefined ? '' : scalarText(member.default);
  const label = member.title ?? labelOf(name);
  const help = member.description;
  if (control === 'json') return null;
  if (control === 'select')
    return (
      <SelectField
        {...{ id, label, help, problem }}
        value={scalarText(value)}
        onChoose={(next) => onChange(next === '' ? undefined : next)}
      >
        {(!isNeeded || value === undefined) && <option value="">{preset || '–'}</option>}
        {member.enum!.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </SelectField>
    );
  const typed = (text: string): Json | undefined => {
    if (text === '') return undefined;
    if (control === 'texts') return text.split(/\s*,\s*/);
    return control === 'integer' && /^\d{1,15}$/.test(text) ? Number(text) : text;
  };
  return (
    <TextField
      {...{ id, label, help, problem }}
      mono
      autocomplete="off"
      required={isNeeded}
      placeholder={preset}
      value={Array.isArray(value) ? value.map(scalarText).join(', ') : scalarText(value)}
      onText={(text) => onChange(typed(text))}
    />
  );
}
