/** The difference of a submission: a row for each slot or value, a side for each column, the marked sides are the result. */

import { useState } from 'preact/hooks';
import { pointerKeys } from '#linkml/json.ts';
import type { SubmissionDifference } from '../../src/client/client.ts';
import { type Key, t } from '../texts/texts.ts';
import { rangeAlong, rangeOfMember, type SlotsOf, slotsAlong } from './inlined.ts';
import { isObject, type Json, type JsonObject, scalarText } from './json.ts';
import { Added, Marked, Removed } from './marks.tsx';
import type { Side } from './merge.ts';
import { type Choices, sideOf } from './merge.ts';
import { printing } from './printing.ts';
import { plainText } from './scalar.tsx';
import {
  type ClassDescription,
  localPart,
  type Range,
  readingOrder,
  SCHEMA_TYPE,
  slotTitle,
  type Title,
} from './schema.ts';
import { StateMark } from './state.tsx';

export type Titles = ReadonlyMap<string, Title | null> | undefined;

type DiffProps = {
  description: ClassDescription;
  slotsOf: SlotsOf;
  differences: readonly SubmissionDifference[];
  sides: readonly Side[];
  heads: Readonly<Partial<Record<Side, string>>>;
  /** What is compared, and the names and keys of the sides, if they are not those of a submission. */
  caption?: string;
  names?: Readonly<Partial<Record<Side, string>>>;
  keys?: Readonly<Partial<Record<Side, string>>>;
  choices: Choices;
  current: number;
  /** Whether rows with an open conflict ask for a side. */
  asking?: boolean;
  titles: Titles;
  onChoose: (path: string, side: Side) => void;
  onCurrent: (index: number) => void;
};

export function DifferenceTable(props: DiffProps) {
  const { differences, sides, heads, names = {}, keys = KEYS, choices, current } = props;
  const caption = props.caption ?? t('difference.caption');
  return (
    <table class={`diff columns-${sides.length}`}>
      <caption class="vh">{caption}</caption>
      <colgroup>
        <col class="slot" />
        {sides.map((side) => (
          <col key={side} />
        ))}
      </colgroup>
      <thead>
        <tr>
          <th scope="col">{t('difference.slot')}</th>
          {sides.map((side) => (
            <th key={side} scope="col">
              <b>
                {names[side] ?? t(`side.${side}` as Key)}
                <kbd>{keys[side]}</kbd>
              </b>
              {heads[side]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {differences.map((difference, index) => (
          <DiffRow
            key={difference.path}
            {...props}
            difference={difference}
            index={index}
            isCurrent={index === current}
            chosen={sideOf(difference, choices)}
          />
        ))}
      </tbody>
    </table>
  );
}

const KEYS = { base: '1', curated: '2', submitted: '3' } as const;

function DiffRow(
  props: DiffProps & {
    difference: SubmissionDifference;
    index: number;
    isCurrent: boolean;
    chosen: Side | undefined;
  },
) {
  const {
    difference,
    index,
    isCurrent,
    asking = false,
    chosen,
    sides,
    description,
    slotsOf,
    titles,
    onChoose,
    onCurrent,
  } = props;
  const nameOf = (side: Side) => props.names?.[side] ?? t(`side.${side}` as Key);
  const { conflict, path, changed_by } = difference;
  const { title, within } = namesOf(difference, description, slotsOf, titles);
  const before = sides.includes('base') ? difference.base : difference.curated;
  const reading = { titles, slotsOf, range: rangeAlong(pointerKeys(path), description.slots, slotsOf) };
  return (
    <tr
      class={[conflict && 'conflict', isCurrent && 'current'].filter(Boolean).join(' ') || undefined}
      data-diff={index}
      onFocusIn={() => onCurrent(index)}
    >
      <th scope="row">
        <bdi>{title}</bdi>
        {within && (
          <span class="path">
            <bdi>{within}</bdi>
          </span>
        )}
        {conflict && chosen === undefined && (
          <span class={asking ? 'why st-diverged asked' : 'why st-diverged'} id={`why-${index}`}>
            <StateMark name="diverged" size={12} />
            {t(asking ? 'difference.chooseSide' : 'difference.conflict')}
          </span>
        )}
        {conflict && chosen !== undefined && (
          <span class="why">
            <StateMark name="accepted" size={12} />
            {t('difference.settled')}
          </span>
        )}
        {!conflict && <span class="vh">, {t(`changedBy.${changed_by}` as Key)}</span>}
      </th>
      {sides.map((side) => {
        const value = difference[side];
        const isSame = side === (sides.includes('base') ? 'base' : 'curated');
        return (
          <td key={side}>
            <label class={value === null ? 'take none' : 'take'}>
              <input
                type="radio"
                name={`d${index}`}
                checked={chosen === side}
                onChange={() => onChoose(path, side)}
                onClick={() => onCurrent(index)}
                aria-label={`${nameOf(side)}: ${title}`}
                aria-describedby={conflict && chosen === undefined ? `why-${index}` : undefined}
              />
              <span class="base-note">{nameOf(side)}</span>
              <SideValue value={value} before={isSame ? value : before} reading={reading} />
            </label>
          </td>
        );
      })}
    </tr>
  );
}

const FOLDED = 1200;

function SideValue({ value, before, reading }: { value: Json; before: Json; reading: Reading }) {
  const [all, setAll] = useState(false);
  const text = textOf(value, reading);
  const former = textOf(before, reading);
  if (value === null && (before === null || value === before))
    return (
      <span class="faint">
        <span aria-hidden="true">–</span>
        <span class="vh">{t('form.noValue')}</span>
      </span>
    );
  if (!all && !printing.value && text.length + former.length > FOLDED && text.length > FOLDED / 2) {
    return (
      <>
        <bdi class="pre">{text.slice(0, FOLDED / 2)}…</bdi>{' '}
        <button
          type="button"
          class="linkish"
          onClick={(event) => {
            event.preventDefault();
            setAll(true);
          }}
        >
          {t('value.showCharacters', { n: text.length })}
        </button>
      </>
    );
  }
  if (value === null) return <Removed text={former} />;
  if (before === null) return <Added text={text} />;
  return text === former ? <bdi class="pre">{text}</bdi> : <Marked before={former} after={text} />;
}

/** What is known of a value: the titles of records that it may name, its range, and the slots of objects in it. */
type Reading = { readonly titles: Titles; readonly range: Range | undefined; readonly slotsOf: SlotsOf };

/** A value as a string that names what it refers to. @param separator stands between the values of a list */
export function textOf(value: Json, reading: Reading, separator = '\n'): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map((item) => textOf(item, reading, separator)).join(separator);
  if (isObject(value)) return objectText(value, reading, separator);
  return reading.titles?.get(scalarText(value))?.title ?? plainText(value, reading.range);
}

/** The first member apart, as it mostly names the object; numbers and flags with their slot. */
function objectText(value: JsonObject, reading: Reading, separator: string): string {
  const members = Object.entries(value).filter(([name]) => name !== SCHEMA_TYPE);
  const named = members.map(([name, inner]) => {
    const range = rangeOfMember(reading.range, name, reading.slotsOf);
    const text = textOf(inner, { ...reading, range }, separator);
    return typeof inner === 'string' && inner.length < 100 ? text : `${name.replaceAll('_', ' ')} ${text}`;
  });
  const [first = '', ...rest] = named;
  return rest.length === 0 ? first : `${first}${separator}${rest.join(', ')}`;
}

/** The title of a row, and those of the objects around it. */
export function namesOf(
  { path, base, curated, submitted }: SubmissionDifference,
  description: ClassDescription,
  slotsOf: SlotsOf,
  titles: Titles,
): { title: string; within: string } {
  const segments = pointerKeys(path);
  if (segments.length === 0) return { title: t('difference.record'), within: '' };
  const along = slotsAlong(segments, description.slots, slotsOf);
  const words = (segment: string, index: number): string => {
    const slot = along[index];
    if (slot) return slotTitle(slot);
    const id = /^\[(.*)\]$/s.exec(segment)?.[1];
    if (id === undefined) return capital(segment.replaceAll('_', ' '));
    if (!id.startsWith('#'))
      return id
        .split('|')
        .map((part) => titles?.get(part)?.title ?? localPart(part))
        .join(', ');
    const value = submitted ?? curated ?? base;
    const range = rangeAlong(segments, description.slots, slotsOf);
    const text = textOf(value, { titles, range, slotsOf }).split('\n')[0] ?? '';
    return text.length > 60 ? `${text.slice(0, 60)}…` : text;
  };
  const names = segments.map(words);
  return { title: names.at(-1) ?? '', within: names.slice(0, -1).join(' › ') };
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** In the order in which people read the slots. */
export function inReadingOrder(
  differences: readonly SubmissionDifference[],
  description: ClassDescription,
): readonly SubmissionDifference[] {
  const names = readingOrder(description).map(({ name }) => name);
  const at = ({ path }: SubmissionDifference) => names.indexOf(pointerKeys(path)[0] ?? '');
  return differences.toSorted((a, b) => at(a) - at(b));
}

/** The strings of differences that may name records. */
export function referencesIn(differences: readonly SubmissionDifference[]): string[] {
  const identifiers = (path: string) =>
    pointerKeys(path).flatMap((segment) => /^\[([^#].*)\]$/s.exec(segment)?.[1]?.split('|') ?? []);
  return pidsAmong(
    differences.flatMap(({ path, base, curated, submitted }) => [
      base,
      curated,
      submitted,
      ...identifiers(path),
    ]),
  );
}

/** The strings in values that may be pids of records, to ask for their titles. */
export function pidsAmong(values: readonly Json[]): string[] {
  const found = new Set<string>();
  const look = (value: Json): void => {
    if (Array.isArray(value)) for (const item of value) look(item);
    else if (isObject(value)) for (const item of Object.values(value)) look(item);
    else if (
      typeof value === 'string' &&
      value.length < 500 &&
      /^[\w.-]+:[^\s/][^\s]*$|^https?:\/\/\S+$/.test(value)
    )
      found.add(value);
  };
  for (const value of values) look(value);
  return [...found].slice(0, 500);
}
