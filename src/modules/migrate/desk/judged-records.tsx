/** Records with one outcome: why, what would be changed, and fields for values that they need. */

import { useState } from 'preact/hooks';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { problemWords } from '../../../../ui/shared/problem-words.ts';
import { may } from '../../../../ui/shared/session.ts';
import { RecordInArea, useTitles, zoneOf } from '../../../../ui/shared/tile.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { RehearsedRecord } from '../client.ts';
import { stepWords } from './change-words.ts';
import { type TypedValue, type TypedValues, wrongSlots } from './corrections.ts';
import { ts } from './texts.ts';

/** A problem of a record, in one slot or in none. */
type Line = ReturnType<typeof wrongSlots>[number] & {
  readonly item: RehearsedRecord;
  /** Whether it is the first line of the record. */
  readonly isFirst: boolean;
};

const SHOWN = 200;

export function JudgedRecords(props: {
  collection: string;
  items: readonly RehearsedRecord[];
  /** How many there are. */
  total: number;
  typed: TypedValues;
  onType: (values: readonly TypedValue[]) => void;
  /** The pids of records that are not changed; undefined if that cannot be chosen for each. */
  left: ReadonlySet<string> | undefined;
  onLeave: (pid: string, on: boolean) => void;
}) {
  const { collection, items, total, typed, onType, left, onLeave } = props;
  const mayRead = may(collection, 'curate');
  const [words, setWords] = useState('');
  const [limit, setLimit] = useState(SHOWN);
  const titles = useTitles(collection, mayRead ? [...new Set(items.map(({ pid }) => pid))] : []);
  const isCorrectable = items.some(({ draft }) => draft);
  const lines = items.flatMap((item): Line[] => {
    const wrong = wrongSlots(item, (problem, slot) => `${slot}: ${problemWords(problem)}`);
    const all = wrong.length > 0 ? wrong : [{ slot: undefined, messages: [], text: '' }];
    return all.map((one, index) => ({ ...one, item, isFirst: index === 0 }));
  });
  const wanted = words.trim().toLowerCase();
  const isWanted = ({ item, messages }: Line) =>
    [item.pid, titles?.get(item.pid)?.title ?? '', item.class, ...messages].some((one) =>
      one.toLowerCase().includes(wanted),
    );
  const found = wanted === '' ? lines : lines.filter(isWanted);
  const shown = found.slice(0, limit);
  const textAt = ({ item, slot }: Line) => (slot === undefined ? '' : (typed[item.pid]?.[slot] ?? ''));
  const fillDown = (from: Line) => {
    const below = found.slice(found.indexOf(from) + 1);
    const empty = below.filter((line) => line.slot === from.slot && textAt(line) === '');
    onType(empty.map(({ item }) => ({ pid: item.pid, slot: from.slot ?? '', text: textAt(from) })));
  };
  return (
    <>
      {isCorrectable && <p class="muted">{ts('correctionHelp')}</p>}
      <div class="mend-tools">
        <label class="field">
          {ts('filter')}
          <input
            class="input"
            type="search"
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
        </label>
        {isCorrectable && <SameForAll lines={found} onType={onType} />}
      </div>
      {wanted !== '' && (
        <p class="muted small" role="status">
          {ts('filtered', { n: found.length, total: lines.length })}
        </p>
      )}
      <div class="inner-scroll" tabIndex={0} role="region" aria-label={ts('records')}>
        <table class="inner mend">
          <caption class="vh">{ts('records')}</caption>
          <thead>
            <tr>
              <th scope="col">{ts('record')}</th>
              <th scope="col">{ts('problem')}</th>
              {isCorrectable && <th scope="col">{ts('correction')}</th>}
            </tr>
          </thead>
          <tbody>
            {shown.map((line) => {
              const { item, slot, messages, text, isFirst } = line;
              return (
                <tr key={`${item.in} ${item.pid} ${slot}`}>
                  <th scope="row">
                    {!isFirst ? null : mayRead ? (
                      <RecordInArea collection={collection} record={item} title={titles?.get(item.pid)} />
                    ) : (
                      <>
                        <bdi class="mono">{item.pid}</bdi> <small class="faint">{zoneOf(item)}</small>
                      </>
                    )}
                  </th>
                  <td>
                    {messages.map((message) => (
                      <p key={message}>{message}</p>
                    ))}
                    {isFirst && (item.steps?.length ?? 0) > 0 && (
                      <ul class="bullets">
                        {item.steps!.map((step) => (
                          <li key={`${step.path} ${step.message}`}>{stepWords(step)}</li>
                        ))}
                      </ul>
                    )}
                    {isFirst && left && item.outcome === 'mendable' && (
                      <label class="check-line">
                        <input
                          type="checkbox"
                          aria-label={ts('mend', { pid: item.pid })}
                          checked={!left.has(item.pid)}
                          onChange={(event) => onLeave(item.pid, !event.currentTarget.checked)}
                        />{' '}
                        {ts('mendAll')}
                      </label>
                    )}
                  </td>
                  {isCorrectable && (
                    <td>
                      {slot !== undefined && (
                        <span class="filled">
                          <input
                            class="input"
                            aria-label={ts('correctionOf', { slot, pid: item.pid })}
                            placeholder={text}
                            value={textAt(line)}
                            onInput={(event) =>
                              onType([{ pid: item.pid, slot, text: event.currentTarget.value }])
                            }
                            onKeyDown={(event) => {
                              if (event.key !== 'd' || !(event.ctrlKey || event.metaKey)) return;
                              event.preventDefault();
                              fillDown(line);
                            }}
                          />
                          {textAt(line) !== '' && (
                            <button
                              type="button"
                              class="btn small"
                              aria-label={ts('fillDownOf', { slot, pid: item.pid })}
                              onClick={() => fillDown(line)}
                            >
                              {ts('fillDown')} <Icon name="down" size={12} />
                            </button>
                          )}
                        </span>
                      )}
                    </td>
                  )}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {shown.length < found.length && (
        <p>
          <button type="button" class="btn" onClick={() => setLimit(limit + SHOWN)}>
            {t('action.more')}
          </button>
        </p>
      )}
      {items.length < total && <p class="muted">{ts('items', { n: items.length, total })}</p>}
    </>
  );
}

/** One value for a slot of all records that are listed, and have nothing typed there. */
function SameForAll({
  lines,
  onType,
}: {
  lines: readonly Line[];
  onType: (values: readonly TypedValue[]) => void;
}) {
  const slots = [...new Set(lines.flatMap(({ slot }) => slot ?? []))];
  const [chosen, setChosen] = useState<string>();
  const [text, setText] = useState('');
  const slot = slots.find((one) => one === chosen) ?? slots[0];
  if (slot === undefined) return null;
  const of = lines.filter((line) => line.slot === slot);
  const use = () => {
    if (text.trim() !== '') onType(of.map(({ item }) => ({ pid: item.pid, slot, text })));
  };
  return (
    <fieldset class="plain-set field same">
      <legend>{ts('same')}</legend>
      <select
        class="input"
        aria-label={ts('slot')}
        value={slot}
        onChange={(event) => setChosen(event.currentTarget.value)}
      >
        {slots.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      <input
        class="input"
        aria-label={ts('sameValue', { slot })}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          use();
        }}
      />
      <button type="button" class="btn" onClick={use}>
        {ts('sameUse', { n: of.length })}
      </button>
    </fieldset>
  );
}
