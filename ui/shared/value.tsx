/** Values by the range of their slot. */
import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { isEmpty, isObject, type Json, type JsonObject, scalarText } from './json.ts';
import { useLoad } from './load.ts';
import { printing } from './printing.ts';
import { isNumeric, LongText, Typed } from './scalar.tsx';
import {
  type ClassDescription,
  type Range,
  readClass,
  readingOrder,
  SCHEMA_TYPE,
  type Slot,
  slotTitle,
} from './schema.ts';
import { RecordLink } from './tile.tsx';
import { numberText } from './time.ts';

const SHOWN_LEVELS = 3;
/** Values of a list, before the others are asked for. */
const SHOWN_ITEMS = 20;

type ValueProps = { collection: string; level?: number };

/** The value of a slot: one, or a list of them. */
function Value({ collection, slot, value, level = 0 }: ValueProps & { slot: Slot; value: Json }) {
  const [isOpen, setAll] = useState(false);
  const all = isOpen || printing.value;
  const { range } = slot;
  if (range.kind === 'class' && range.inlined) {
    return <Inlined collection={collection} range={range} value={value} level={level} />;
  }
  if (!Array.isArray(value)) return <Single collection={collection} range={range} value={value} />;
  const shown = all ? value : value.slice(0, SHOWN_ITEMS);
  return (
    <ul class="values">
      {shown.map((item, index) => (
        <li key={index}>
          <Single collection={collection} range={range} value={item} />
        </li>
      ))}
      {shown.length < value.length && (
        <li>
          <button type="button" class="linkish" onClick={() => setAll(true)}>
            {t('value.showAll', { n: value.length })}
          </button>
        </li>
      )}
    </ul>
  );
}

function Single({ collection, range, value }: { collection: string; range: Range; value: Json }) {
  if (range.kind === 'class' && typeof value === 'string')
    return <RecordLink collection={collection} pid={value} />;
  if (typeof value === 'boolean') return <>{t(value ? 'value.yes' : 'value.no')}</>;
  if (typeof value === 'object' && value !== null && (isObject(value) || Array.isArray(value)))
    return <pre class="code inset">{JSON.stringify(value, null, 2)}</pre>;
  const text = scalarText(value);
  if (range.kind === 'enum') {
    const found = range.values.find((one) => one.value === text);
    return <bdi title={found?.description ?? undefined}>{found?.title ?? text}</bdi>;
  }
  if (range.kind !== 'type') return <LongText text={text} />;
  return <Typed collection={collection} text={text} range={range} />;
}

/** Objects within the record: a small table if they are flat, else one below the other. */
function Inlined({
  collection,
  range,
  value,
  level,
}: {
  collection: string;
  range: Extract<Range, { kind: 'class' }>;
  value: Json;
  level: number;
}) {
  const [isShown, setOpen] = useState(level < SHOWN_LEVELS);
  const open = isShown || printing.value;
  const [isOpen, setAll] = useState(false);
  const all = isOpen || printing.value;
  const { value: description } = useLoad(open ? `${collection}/${range.class}` : undefined, () =>
    readClass(collection, range.class),
  );
  if (!open)
    return (
      <button type="button" class="linkish" onClick={() => setOpen(true)}>
        {t('action.show')}
      </button>
    );
  if (!description) return <span class="faint">…</span>;
  const items = itemsOf(value, range, description);
  const shown = all ? items : items.slice(0, SHOWN_ITEMS);
  const more = shown.length < items.length && (
    <button type="button" class="linkish" onClick={() => setAll(true)}>
      {t('value.showAll', { n: items.length })}
    </button>
  );
  const used = description.slots.filter(({ name }) => items.some(({ object }) => !isEmpty(object[name])));
  const isFlat =
    used.length <= 5 &&
    used.every(({ range: inner, multivalued }) => !multivalued && !(inner.kind === 'class' && inner.inlined));
  if (Array.isArray(value) || items.length > 1 || items[0]?.key !== undefined) {
    if (isFlat) {
      return (
        <>
          <div
            class="inner-scroll"
            tabIndex={0}
            role="region"
            aria-label={description.title ?? description.class}
          >
            <table class="inner">
              <thead>
                <tr>
                  {items.some(({ key }) => key) && <th scope="col">{t('value.key')}</th>}
                  {used.map((slot) => (
                    <th key={slot.name} scope="col">
                      {slotTitle(slot)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {shown.map(({ key, object }, index) => (
                  <tr key={index}>
                    {key !== undefined && (
                      <td>
                        <bdi class="mono">{key}</bdi>
                      </td>
                    )}
                    {used.map((slot) => (
                      <td key={slot.name}>
                        {isEmpty(object[slot.name]) ? (
                          '–'
                        ) : (
                          <Value
                            collection={collection}
                            slot={slot}
                            value={object[slot.name]!}
                            level={level + 1}
                          />
                        )}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {more}
        </>
      );
    }
    return (
      <>
        {shown.map(({ key, object }, index) => (
          <div key={index} class="nested">
            {key && (
              <p class="strong">
                <bdi>{key}</bdi>
              </p>
            )}
            <Slots collection={collection} description={description} record={object} level={level + 1} />
          </div>
        ))}
        {more}
      </>
    );
  }
  if (items.length === 0) return <span class="faint">–</span>;
  if (isFlat && used.length <= 2 && used.every(({ range: inner }) => inner.kind === 'type')) {
    return (
      <>
        {used
          .map(({ name, range: inner }) => {
            const text = scalarText(items[0]?.object[name]);
            return isNumeric(inner) ? numberText(text) : text;
          })
          .join(' ')}
      </>
    );
  }
  return (
    <div class="nested">
      <Slots collection={collection} description={description} record={items[0]!.object} level={level + 1} />
    </div>
  );
}

function itemsOf(
  value: Json,
  range: Extract<Range, { kind: 'class' }>,
  { slots }: ClassDescription,
): { key?: string; object: JsonObject }[] {
  if (Array.isArray(value)) return value.map((item) => ({ object: isObject(item) ? item : {} }));
  if (!isObject(value)) return [];
  if (!/dict$/.test(range.inlining) && !looksLikeMapping(value)) return [{ object: value }];
  // A simple dict has keys with the value of the other slot.
  const other = slots.find(({ identifier, key }) => !identifier && !key)?.name ?? 'value';
  return Object.entries(value).map(([key, item]) => ({
    key,
    object: isObject(item) ? item : { [other]: item },
  }));
}

function looksLikeMapping(value: JsonObject): boolean {
  const values = Object.values(value);
  return (
    values.length > 0 &&
    values.every((item) => isObject(item)) &&
    Object.keys(value).some((key) => key.includes(':'))
  );
}

/** All slots with values, in the order of the schema; those without are one line. */
export function Slots({
  collection,
  description,
  record,
  level = 0,
  tight = false,
  skip = [],
}: ValueProps & {
  description: ClassDescription;
  record: JsonObject;
  tight?: boolean;
  skip?: readonly string[];
}) {
  const [isOpen, setAll] = useState(false);
  const all = isOpen || printing.value;
  const slots = readingOrder(description).filter(
    ({ name, designates_type }) => !designates_type && !skip.includes(name),
  );
  const filled = slots.filter(({ name }) => !isEmpty(record[name]));
  const empty = slots.filter(({ name }) => isEmpty(record[name]));
  const known = new Set(description.slots.map(({ name }) => name));
  const unknown = Object.keys(record).filter(
    (name) => !known.has(name) && name !== SCHEMA_TYPE && name !== '@type',
  );
  return (
    <>
      <dl class={tight || level > 0 ? 'slots tight' : 'slots record-slots'}>
        {(all ? slots : filled).map((slot) => (
          <div key={slot.name}>
            <dt>
              {slotTitle(slot)}
              {slot.description && level === 0 && !tight && <small>{slot.description}</small>}
            </dt>
            <dd>
              {isEmpty(record[slot.name]) ? (
                <span class="faint">–</span>
              ) : (
                <Value collection={collection} slot={slot} value={record[slot.name]!} level={level} />
              )}
            </dd>
          </div>
        ))}
        {unknown.map((name) => (
          <div key={name}>
            <dt>
              <span class="mono">{name}</span>
            </dt>
            <dd>
              <pre class="code inset">{JSON.stringify(record[name], null, 2)}</pre>
            </dd>
          </div>
        ))}
      </dl>
      {level === 0 && !tight && !all && empty.length > 0 && (
        <p class="small muted">
          {t('record.noValue', { slots: empty.map(slotTitle).join(', ') })}{' '}
          <button type="button" class="linkish" onClick={() => setAll(true)}>
            {t('action.show')}
          </button>
        </p>
      )}
    </>
  );
}
