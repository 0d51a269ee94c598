/**
 * Progress on standard error: only on a terminal, and only for work that takes longer than a second. A service that adopts a store
 * says in its log how far it is.
 */

import type { AdoptionProgress, AreaProgress } from '../core/collections/adoption.ts';
import { DELAY, EVERY } from '../core/durations.ts';

export type Progress = {
  /** Reports that this many more are done. */
  advance(count: number): void;
  /** Removes the line. */
  [Symbol.dispose](): void;
};

/** @param total how many there are, if that is known: then the time that is left is shown */
export function startProgress(noun: string, total?: number): Progress {
  if (!process.stderr.isTTY) return { advance: () => {}, [Symbol.dispose]: () => {} };
  const start = performance.now();
  let done = 0;
  let shown = 0;
  return {
    advance(count) {
      done += count;
      const now = performance.now();
      if (now - start < DELAY.progress || now - shown < EVERY.progress) return;
      shown = now;
      process.stderr.write(`\r\x1b[K${progressText(noun, done, now - start, total)}`);
    },
    [Symbol.dispose]() {
      if (shown > 0) process.stderr.write('\r\x1b[K');
    },
  };
}

const NOUNS: Readonly<Record<AreaProgress['step'], string>> = {
  log: 'records in the audit log',
  entries: 'changes of records',
  records: 'records',
};

type StoreProgress = AreaProgress & Partial<AdoptionProgress>;

/**
 * Shows the progress of a store, step by step of each area.
 *
 * @param log is called from time to time if standard error is not a terminal
 */
export function areaProgress(log?: (progress: StoreProgress & { readonly seconds_left?: number }) => void): {
  report(progress: StoreProgress): void;
} & Disposable {
  let shown = '';
  let before = 0;
  let progress: Progress | undefined;
  let logged = performance.now();
  /** Where a step has begun, which may have been interrupted before. */
  let from = { time: 0, done: 0 };
  return {
    report(now) {
      const { area, step, done, total, number, areas } = now;
      const time = performance.now();
      if (`${step} ${area}` !== shown) {
        progress?.[Symbol.dispose]();
        progress = startProgress(
          `${NOUNS[step]} of ${area}${areas ? ` (${number} of ${areas})` : ''}`,
          total,
        );
        [shown, before, from] = [`${step} ${area}`, 0, { time, done }];
      }
      if (log && !process.stderr.isTTY && time - logged > EVERY.loggedProgress) {
        logged = time;
        const left = secondsLeft(total - done, done - from.done, time - from.time);
        log({ ...now, ...(left !== undefined && { seconds_left: left }) });
      }
      progress?.advance(done - before);
      before = done;
    },
    [Symbol.dispose]: () => progress?.[Symbol.dispose](),
  };
}

/** How long the rest takes if it goes on at the present rate; undefined if nothing is done yet. */
function secondsLeft(rest: number, done: number, milliseconds: number): number | undefined {
  return done > 0 ? Math.ceil((Math.max(0, rest) * milliseconds) / done / 1000) : undefined;
}

/** `12,000 of 100,000 records, 4,000/s, 22 s left` */
export function progressText(noun: string, done: number, milliseconds: number, total?: number): string {
  const rate = (done * 1000) / Math.max(1, milliseconds);
  const of = total === undefined ? '' : ` of ${number(total)}`;
  const seconds =
    total === undefined ? undefined : secondsLeft(total - done, done, Math.max(1, milliseconds));
  const left = seconds === undefined ? '' : `, ${number(seconds)} s left`;
  return `${number(done)}${of} ${noun}, ${number(Math.round(rate))}/s${left}`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
