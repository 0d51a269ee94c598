/** Records with one outcome: why, what would be changed, and fields for values that they need. */

import { problemWords } from '../../../../ui/shared/problem-words.ts';
import { may } from '../../../../ui/shared/session.ts';
import { RecordInArea, useTitles, zoneOf } from '../../../../ui/shared/tile.tsx';
import { type RehearsedRecord, type TypedValues, wrongSlots } from './corrections.ts';
import { ts } from './texts.ts';

export function JudgedRecords(props: {
  collection: string;
  items: readonly RehearsedRecord[];
  /** How many there are. */
  total: number;
  typed: TypedValues;
  onType: (pid: string, slot: string, text: string) => void;
  /** The pids of records that are not changed; undefined if that cannot be chosen for each. */
  left: ReadonlySet<string> | undefined;
  onLeave: (pid: string, on: boolean) => void;
}) {
  const { collection, items, total, typed, onType, left, onLeave } = props;
  const mayRead = may(collection, 'curate');
  const titles = useTitles(collection, mayRead ? [...new Set(items.map(({ pid }) => pid))] : []);
  const isCorrectable = items.some(({ draft }) => draft);
  return (
    <>
      {isCorrectable && <p class="muted">{ts('correctionHelp')}</p>}
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
            {items.flatMap((item) => {
              const wrong = wrongSlots(item, (problem, slot) => `${slot}: ${problemWords(problem)}`);
              const lines = wrong.length > 0 ? wrong : [{ slot: undefined, messages: [], text: '' }];
              return lines.map(({ slot, messages, text }, index) => (
                <tr key={`${item.in} ${item.pid} ${slot}`}>
                  <th scope="row">
                    {index > 0 ? null : mayRead ? (
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
                    {index === 0 && (item.steps?.length ?? 0) > 0 && (
                      <ul class="bullets">
                        {item.steps!.map(({ path, message }) => (
                          <li key={`${path} ${message}`}>{message}</li>
                        ))}
                      </ul>
                    )}
                    {index === 0 && left && item.outcome === 'mendable' && (
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
                        <input
                          class="input"
                          aria-label={ts('correctionOf', { slot, pid: item.pid })}
                          placeholder={text}
                          value={typed[item.pid]?.[slot] ?? ''}
                          onInput={(event) => onType(item.pid, slot, event.currentTarget.value)}
                        />
                      )}
                    </td>
                  )}
                </tr>
              ));
            })}
          </tbody>
        </table>
      </div>
      {items.length < total && <p class="muted">{ts('items', { n: items.length, total })}</p>}
    </>
  );
}
