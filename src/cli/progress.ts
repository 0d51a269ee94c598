/**
 * Progress on standard error: only on a terminal, and only for work that takes longer than a second. A service that adopts a store
 * says in its log how far it is.
 */

import { DELAY, EVERY } from '../durations.ts';
import type { AdoptionProgress } from '../peer/adopt.ts';
import type { AreaProgress } from '../peer/adopt-area.ts';

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

/** The same for a store, area by area. @param log is called from time to time if standard error is not a terminal */
export function areaProgress(log?: (progress: AreaProgress & Partial<AdoptionProgress>) => void): {
  report(progress: AreaProgress & Partial<AdoptionProgress>): void;
} & Disposable {
  let shown = '';
  let before = 0;
  let progress: Progress | undefined;
  let logged = performance.now();
  return {
    report(now) {
      const { area, done, total, number, areas } = now;
      if (log && !process.stderr.isTTY && performance.now() - logged > EVERY.loggedProgress) {
        logged = performance.now();
        log(now);
      }
      if (area !== shown) {
        progress?.[Symbol.dispose]();
        progress = startProgress(`records of ${area}${areas ? ` (${number} of ${areas})` : ''}`, total);
        [shown, before] = [area, 0];
      }
      progress?.advance(done - before);
      before = done;
    },
    [Symbol.dispose]: () => progress?.[Symbol.dispose](),
  };
}

/** `12,000 of 100,000 records, 4,000/s, 22 s left` */
export function progressText(noun: string, done: number, milliseconds: number, total?: number): string {
  const rate = (done * 1000) / Math.max(1, milliseconds);
  const of = total === undefined ? '' : ` of ${number(total)}`;
  const left =
    total === undefined || rate === 0
      ? ''
      : `, ${number(Math.ceil(Math.max(0, total - done) / rate))} s left`;
  return `${number(done)}${of} ${noun}, ${number(Math.round(rate))}/s${left}`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
