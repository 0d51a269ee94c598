/** Records with one outcome: why, what would be changed, and fields for values that they need. */

import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { FormSchema } from '../../../../ui/form/record-form.tsx';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { useLoad } from '../../../../ui/shared/load.ts';
import { Loading } from '../../../../ui/shared/notes.tsx';
import type { ClassDescription } from '../../../../ui/shared/schema.ts';
import { may } from '../../../../ui/shared/session.ts';
import { RecordInArea, useTitles, zoneOf } from '../../../../ui/shared/tile.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import type { RehearsedRecord } from '../client.ts';
import { stepWords } from './change-words.ts';
import { CorrectDialog } from './correct-dialog.tsx';
import { CorrectedValue } from './corrected-value.tsx';
import { type Correction, type Corrections, correctionTo, isCorrected } from './corrections.ts';
import { type Line, linesOf } from './judged-lines.ts';
import { SameForAll } from './same-for-all.tsx';
import { ts } from './texts.ts';

const SHOWN = 200;

export function JudgedRecords(props: {
  collection: string;
  items: readonly RehearsedRecord[];
  /** How many there are. */
  total: number;
  schema: FormSchema;
  values: Corrections['values'];
  onCorrect: (corrections: readonly Correction[]) => void;
  /** The pids of records that are not changed; undefined if that cannot be chosen for each. */
  left: ReadonlySet<string> | undefined;
  onLeave: (pid: string, on: boolean) => void;
}) {
  const { collection, items, total, schema, values, onCorrect, left, onLeave } = props;
  const mayRead = may(collection, 'curate');
  const [words, setWords] = useState('');
  const [limit, setLimit] = useState(SHOWN);
  const [open, setOpen] = useState<Line>();
  const titles = useTitles(collection, mayRead ? [...new Set(items.map(({ pid }) => pid))] : []);
  const titleOf = ({ pid }: RehearsedRecord) => titles?.get(pid)?.title ?? pid;
  const classes = useClasses(items, schema);
  const descriptionOf = ({ draft }: RehearsedRecord) => draft && classes.value?.get(draft.class);
  const isCorrectable = items.some(({ draft }) => draft);
  const lines = items.flatMap((item, index) => linesOf(item, index, values, descriptionOf(item)?.slots));
  const wanted = words.trim().toLowerCase();
  const isWanted = ({ item, messages }: Line) =>
    [item.pid, titleOf(item), item.class, ...messages].some((one) => one.toLowerCase().includes(wanted));
  const found = wanted === '' ? lines : lines.filter(isWanted);
  const shown = found.slice(0, limit);
  const fillDown = ({ item: from, slot }: Line) => {
    if (slot === undefined || !isCorrected(values, from, slot)) return;
    const value = values[from.pid]?.[slot] ?? undefined;
    const below = found.slice(found.findIndex((one) => one.item === from && one.slot === slot) + 1);
    const uncorrected = below.filter((line) => line.slot === slot && !isCorrected(values, line.item, slot));
    onCorrect(uncorrected.map(({ item }) => correctionTo(item, slot, value)));
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
        {classes.value && <SameForAll {...{ collection, schema, onCorrect, descriptionOf }} lines={found} />}
      </div>
      {isCorrectable && !classes.value && <Loading error={classes.error} retry={classes.reload} />}
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
              const { item, slot, isFirst } = line;
              const description = descriptionOf(item);
              return (
                <tr key={`${item.in} ${item.pid} ${slot}`}>
                  <th scope="row">
                    {!isFirst ? (
                      <bdi class="vh">{item.pid}</bdi>
                    ) : mayRead ? (
                      <RecordInArea collection={collection} record={item} title={titles?.get(item.pid)} />
                    ) : (
                      <>
                        <bdi class="mono">{item.pid}</bdi> <small class="faint">{zoneOf(item)}</small>
                      </>
                    )}
                    {isFirst && description && (
                      <button
                        type="button"
                        class="btn small"
                        aria-label={ts('correctOf', { pid: item.pid })}
                        onClick={() => setOpen({ ...line, slot: undefined })}
                      >
                        <Icon name="pencil" size={12} /> {ts('correctForm')}
                      </button>
                    )}
                  </th>
                  <td>
                    <Reasons line={line}>
                      {left && item.outcome === 'mendable' && (
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
                    </Reasons>
                  </td>
                  {isCorrectable && (
                    <td>
                      {slot !== undefined && description && (
                        <CorrectedValue
                          {...{ collection, schema, description, values, onCorrect, item, slot }}
                          index={line.index}
                          onFillDown={() => fillDown(line)}
                          onOpen={() => setOpen(line)}
                        />
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
      {open && descriptionOf(open.item) && (
        <CorrectDialog
          {...{ collection, schema, values, onCorrect }}
          item={open.item}
          title={titleOf(open.item)}
          description={descriptionOf(open.item)!}
          begin={open.slot}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

/** The classes that the records would have, by name. */
function useClasses(items: readonly RehearsedRecord[], schema: FormSchema) {
  const names = [...new Set(items.flatMap(({ draft }) => draft?.class ?? []))].sort();
  return useLoad(names.length > 0 ? names.join() : undefined, async () => {
    const classes = await Promise.all(names.map((name) => schema.classOf(name)));
    return new Map(classes.map((one): [string, ClassDescription] => [one.class, one]));
  });
}

/** Why a record does not fit, and what is changed in it. */
function Reasons({
  line: { item, messages, isFirst },
  children,
}: {
  line: Line;
  children: ComponentChildren;
}) {
  const { steps = [] } = item;
  return (
    <>
      {messages.map((message) => (
        <p key={message}>{message}</p>
      ))}
      {isFirst && steps.length > 0 && (
        <ul class="bullets">
          {steps.map((step) => (
            <li key={`${step.path} ${step.message}`}>{stepWords(step)}</li>
          ))}
        </ul>
      )}
      {isFirst && children}
    </>
  );
}
