/** Asks why a submission is rejected or deferred, and until when. */

import { useEffect, useState } from 'preact/hooks';
import { DayField } from '../../../../ui/shared/day-field.tsx';
import { dayFromNow } from '../../../../ui/shared/days.ts';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { useKept } from '../../../../ui/shared/kept.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { ErrorNote } from '../../../../ui/shared/notes.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { StateMark } from '../../../../ui/shared/state.tsx';
import type { ClientError } from '../../../client/client.ts';
import { review } from '../client.ts';
import { OFFERED, useNumberedReasons } from './numbered-reasons.ts';
import { tr } from './texts.ts';
import { LONGEST_COMMENT } from './verdicts.ts';

type Props = {
  collection: string;
  kind: 'reject' | 'defer';
  title: string;
  className?: string | undefined;
  count?: number;
  busy?: boolean;
  /** The subject of the decision: the words are kept for it until they are used. */
  about: string;
  /** Why it was refused. */
  error?: ClientError | undefined;
  /** @returns whether it was decided */
  onDecide: (reason: string, until: string | undefined) => Promise<boolean>;
  onClose: () => void;
};

/** Whether a reason has no words: more often a choice that went wrong than what the submitter is to read. */
const isNumber = (reason: string) => /^\p{N}+$/u.test(reason.trim());

/** The last different reasons of this curator for the class, then of all for the collection. */
async function recentReasons(
  collection: string,
  decision: string,
  className: string | undefined,
  signal: AbortSignal,
): Promise<string[]> {
  const read = async (query: Record<string, string | undefined>) => {
    const { items } = await lab(collection, signal)
      .use(review)
      .decisions({ decision, size: 50, ...query });
    return items.flatMap(({ reason }) => (reason === null || isNumber(reason) ? [] : [reason]));
  };
  const own = await read({ reviewer: 'me', class: className });
  const all = own.length >= OFFERED ? [] : await read({});
  return [...new Set([...own, ...all])].slice(0, OFFERED);
}

const DAY_MS = 86_400_000;
const ENDS = { none: undefined, tomorrow: 1, week: 7, month: 30 } as const;

export function ReasonDialog({
  collection,
  kind,
  title,
  className,
  count,
  about,
  error,
  busy = false,
  onDecide,
  onClose,
}: Props) {
  const [reason, setReason, forget] = useKept<string>(`${kind}/${collection}/${about}`, '');
  const [missing, setMissing] = useState(false);
  const [end, setEnd] = useState<keyof typeof ENDS | 'date'>('none');
  const [date, setDate] = useState('');
  const { value: reasons } = useLoad(`${collection}/${kind}/${className}`, (signal) =>
    recentReasons(collection, kind, className, signal).catch(() => []),
  );
  const numbered = useNumberedReasons(reasons, reason, setReason);
  const words = numbered.shown.trim();
  const fault = isNumber(words) ? 'reason.number' : kind === 'reject' && words === '' ? 'reason.missing' : '';
  const isBad = missing && fault !== '' && !numbered.isPending;
  const [confirmed, setConfirmed] = useState(false);
  const decide = async () => {
    if (numbered.isPending) {
      setConfirmed(true);
      return;
    }
    if (fault !== '') {
      setMissing(true);
      document.getElementById('reason')?.focus();
      return;
    }
    // What a number stands for is kept like typed words, if the decision fails.
    numbered.settle();
    if (await onDecide(words, kind === 'defer' ? untilOf(end, date) : undefined)) forget();
  };
  // What was confirmed with a number is decided as soon as the reason with that number is known.
  useEffect(() => {
    if (!confirmed || numbered.isPending) return;
    setConfirmed(false);
    decide();
  }, [confirmed, numbered.isPending]);
  const write = (text: string) => {
    setConfirmed(false);
    numbered.write(text);
  };
  const press = (number: number) => () => numbered.press(number);
  return (
    <Dialog
      icon={<StateMark name={kind === 'reject' ? 'rejected' : 'deferred'} size={16} />}
      title={title}
      busy={busy || confirmed}
      keys={{ '1': press(1), '2': press(2), '3': press(3), '4': press(4), '5': press(5) }}
      confirm={count === undefined ? tr(`reason.${kind}`) : tr(`reason.${kind}N`, { n: count })}
      onConfirm={decide}
      onClose={onClose}
    >
      {numbered.isPending && (
        <p class="muted small" role="status">
          {tr('reason.loading')}
        </p>
      )}
      {reasons !== undefined && reasons.length > 0 && (
        <fieldset class="plain-set reasons">
          <legend class="vh">{tr('reason.recent')}</legend>
          {reasons.map((text, index) => (
            <label key={text}>
              <input
                type="radio"
                name="recent"
                checked={numbered.shown === text}
                onChange={() => write(text)}
              />
              <bdi>{text}</bdi>
              <kbd>{index + 1}</kbd>
            </label>
          ))}
        </fieldset>
      )}
      <div class={isBad ? 'field bad' : 'field'}>
        <label for="reason">
          {tr('reason.reason')}{' '}
          <span class="req">{tr(kind === 'reject' ? 'reason.required' : 'reason.optional')}</span>
        </label>
        <textarea
          class="input"
          id="reason"
          data-first
          maxLength={LONGEST_COMMENT}
          value={numbered.shown}
          aria-describedby={isBad ? 'reason-error' : undefined}
          onInput={(event) => write(event.currentTarget.value)}
          onPointerDown={numbered.settle}
          onKeyDown={(event) => {
            if (event.key.length === 1 && !event.ctrlKey) setConfirmed(false);
            numbered.onKeyDown(event);
          }}
        />
        {isBad && (
          <p class="error" id="reason-error" role="alert">
            <StateMark name="rejected" />
            {tr(fault)}
          </p>
        )}
      </div>
      {kind === 'defer' && (
        <fieldset class="plain-set field">
          <legend class="label">{tr('reason.until')}</legend>
          <div class="radios">
            {(['none', 'tomorrow', 'week', 'month', 'date'] as const).map((one) => (
              <label key={one}>
                <input type="radio" name="until" checked={end === one} onChange={() => setEnd(one)} />
                {tr(`until.${one}`)}
              </label>
            ))}
          </div>
          {end === 'date' && (
            <DayField
              aria-label={tr('until.date')}
              min={dayFromNow(1)}
              value={date}
              onInput={(event) => setDate(event.currentTarget.value)}
            />
          )}
        </fieldset>
      )}
      {error && <ErrorNote error={error} unknown={tr('bulk.unknown')} />}
    </Dialog>
  );
}

function untilOf(end: keyof typeof ENDS | 'date', date: string): string | undefined {
  if (end === 'date') return date === '' ? undefined : new Date(`${date}T00:00:00`).toISOString();
  const days = ENDS[end];
  return days === undefined ? undefined : new Date(Date.now() + days * DAY_MS).toISOString();
}
