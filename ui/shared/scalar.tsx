/** Values without parts: numbers, dates, addresses, long texts; and any value in one line. */
import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { isEmpty, isObject, type Json, scalarText } from './json.ts';
import { useLoad } from './load.ts';
import { curieParts, expanded, readPrefixes } from './prefixes.ts';
import { printing } from './printing.ts';
import type { Range, Slot } from './schema.ts';
import { calendarDate, fullTime, count as grouped, numberText, shortDate } from './time.ts';

const FOLDED_CHARACTERS = 600;

/** A value of a LinkML type. */
export function Typed({
  collection,
  text,
  range,
}: {
  collection: string;
  text: string;
  range: Extract<Range, { kind: 'type' }>;
}) {
  const { type, uri } = range;
  if (/date$/i.test(uri) || type === 'date')
    return (
      <time dateTime={text} title={text}>
        {calendarDate(text)}
      </time>
    );
  if (/dateTime$/.test(uri) || type === 'datetime')
    return (
      <time dateTime={text} title={text}>
        {fullTime(text) || text}
      </time>
    );
  if (isNumeric(range))
    return (
      <span class="num" title={text}>
        {numberText(text)}
      </span>
    );
  if (type === 'uri' || type === 'uriorcurie' || type === 'curie' || /#anyURI$/.test(uri))
    return <Address collection={collection} text={text} />;
  if (/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(text))
    return (
      <a href={`mailto:${text.replace(/[%?&#=]/g, encodeURIComponent)}`} rel="noopener noreferrer">
        {text}
      </a>
    );
  return <LongText text={text} />;
}

/** The built-in types of numbers, which other types are made of. */
const NUMBERS = ['integer', 'nonNegativeInteger', 'decimal', 'float', 'double'];

/** Whether values are identifiers, which are shown as code. */
export function isCode(range: Range): boolean {
  return range.kind === 'type' && /uri|curie/.test(range.type);
}

/** Whether the values of a range are numbers. */
export function isNumeric(range: Range): boolean {
  return (
    range.kind === 'type' &&
    (/#(integer|int|long|decimal|float|double|short|nonNegativeInteger)$/i.test(range.uri) ||
      NUMBERS.includes(range.base))
  );
}

/** Whether the values of a range are yes and no. */
export function isBoolean(range: Range): boolean {
  return range.kind === 'type' && range.base === 'boolean';
}

/** Whether the values of a range are dates, with or without a time. */
export function isDate(range: Range): boolean {
  return range.kind === 'type' && /^date/.test(range.base);
}

/** Whether values are compared, not only found: numbers and dates. */
export function isOrdered(range: Range): boolean {
  return isNumeric(range) || isDate(range);
}

/** Links only to the web and to mail addresses: any other scheme is text, whatever it would do. A CURIE leads to its expansion. */
function Address({ collection, text }: { collection: string; text: string }) {
  const parts = curieParts(text);
  const { value: prefixes } = useLoad(parts && collection, () => readPrefixes(collection));
  const doi = /^doi:(10\..*)$/i.exec(text)?.[1];
  const target = doi ? `https://doi.org/${encodeURI(doi)}` : prefixes ? expanded(prefixes, text) : text;
  const isLink = /^(https?:\/\/|mailto:)/i.test(target) && URL.canParse(target);
  const isCode = parts !== undefined && !/^mailto$/i.test(parts.prefix);
  const shown = <bdi class={isCode ? 'mono' : undefined}>{text}</bdi>;
  if (!isLink) return <bdi class="mono">{text}</bdi>;
  return (
    <a href={target} title={target === text ? undefined : target} target="_blank" rel="noopener noreferrer">
      {shown} <span aria-hidden="true">↗</span>
    </a>
  );
}

const HUGE = 65_536;

/** A string; a long one is folded. */
export function LongText({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  if (text.length <= FOLDED_CHARACTERS || printing.value) return <bdi class="pre">{text}</bdi>;
  if (!open) {
    return (
      <>
        <bdi class="pre folded">{text.slice(0, FOLDED_CHARACTERS)}…</bdi>
        <button type="button" class="linkish" onClick={() => setOpen(true)}>
          {t('value.showCharacters', { n: text.length })}
        </button>
      </>
    );
  }
  if (text.length > HUGE)
    return (
      <div class="huge" tabIndex={0} role="region" aria-label={t('value.long')}>
        <bdi class="pre">{text}</bdi>
      </div>
    );
  return <bdi class="pre">{text}</bdi>;
}

/** Keeps signs in their order, also behind words that are written from right to left. */
const leftToRight = (text: string) => `\u2066${text}\u2069`;

/** A value without parts as people read it, nothing lost: numbers, days, yes and no, and titles of permissible values. */
export function plainText(value: Json, range: Range | undefined): string {
  if (typeof value === 'boolean') return t(value ? 'value.yes' : 'value.no');
  const text = scalarText(value);
  if (range?.kind === 'enum') return range.values.find((one) => one.value === text)?.title ?? text;
  if (range?.kind !== 'type') return text;
  // As filters have it.
  if (isBoolean(range) && /^(true|false)$/.test(text)) return t(text === 'true' ? 'value.yes' : 'value.no');
  if (range.type === 'date') return shortDate(text);
  return isNumeric(range) ? numberText(text) : text;
}

/**
 * A value in one line, for cells of a table.
 *
 * @param slotsOf the slots of a class whose objects are within records, if they are known
 */
export function shortValue(
  value: Json | undefined,
  range: Range,
  name: (pid: string) => string | undefined,
  slotsOf: (className: string) => readonly Slot[] | undefined = () => undefined,
): string {
  if (isEmpty(value)) return '–';
  if (Array.isArray(value)) {
    const first = shortValue(value[0], range, name, slotsOf);
    return value.length > 1 ? `${first} ${leftToRight(`+${grouped(value.length - 1)}`)}` : first;
  }
  if (isObject(value)) {
    const slots = range.kind === 'class' ? slotsOf(range.class) : undefined;
    const parts = Object.entries(value)
      .filter(([, item]) => typeof item !== 'object')
      .map(([key, item]) => {
        const slot = slots?.find((one) => one.name === key);
        return slot ? shortValue(item, slot.range, name, slotsOf) : scalarText(item);
      });
    return parts.join(' ') || '{…}';
  }
  const stored = scalarText(value);
  if (range.kind === 'type' && range.type === 'datetime') return fullTime(stored) || stored;
  const text = (range.kind === 'class' ? name(stored) : undefined) ?? plainText(value!, range);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
