/**
 * Whether the service responds. While it does not, it is asked again with growing pauses; what could not be read is read again
 * as soon as it does.
 */
import { signal } from '@preact/signals';
import { SERVICE } from './router.ts';

const PAUSES_S = [1, 2, 4, 8, 15, 30];
/** A proxy answers so while the service behind it is away. */
const OF_PROXIES = [502, 504];

/** When the service is asked again, in milliseconds since 1970; undefined while it responds. */
export const away = signal<number | undefined>(undefined);
/** Increases when the service responds again. */
export const returned = signal(0);

let attempts = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Whether a status means that the service did not respond; 0 is a request that failed in the network. */
export function isAway(status: number | undefined): boolean {
  return status === 0 || OF_PROXIES.includes(status ?? 200);
}

/** The cause of an error: something that may change data was sent, and has no answer. It is not known whether it was done. */
export class LostAnswer extends Error {}

/** Whether it is not known what the service has done about a request that failed. */
export function isUnknown(error: Error | undefined): boolean {
  return error?.cause instanceof LostAnswer;
}

/** The cause of an error: the service has not done what it was to be sent. */
export class NotDone extends Error {}

/** Whether it is known that the service has done nothing about a request that failed. */
export function isNotDone(error: Error | undefined): boolean {
  return error?.cause instanceof NotDone;
}

/** Called when a request did not reach the service. */
export function noteAway(): void {
  if (away.peek() === undefined) wait();
}

/** Called when the service has answered. */
export function noteAnswer(): void {
  if (away.peek() === undefined) return;
  clearTimeout(timer);
  attempts = 0;
  away.value = undefined;
  returned.value++;
}

function wait(): void {
  const pause = 1000 * PAUSES_S[Math.min(attempts++, PAUSES_S.length - 1)]!;
  away.value = Date.now() + pause;
  clearTimeout(timer);
  timer = setTimeout(askAgain, pause);
}

let asked: Promise<boolean> | undefined;

/** Asks at once whether the service responds: one request for all who ask. */
export function askAgain(): Promise<boolean> {
  asked ??= responds().finally(() => {
    asked = undefined;
  });
  return asked;
}

async function responds(): Promise<boolean> {
  clearTimeout(timer);
  const response = await fetch(new URL('-/health', SERVICE), {
    credentials: 'omit',
    cache: 'no-store',
  }).catch(() => undefined);
  const isThere = response !== undefined && !isAway(response.status);
  if (isThere) noteAnswer();
  else wait();
  return isThere;
}

addEventListener('online', () => {
  if (away.peek() !== undefined) askAgain();
});
