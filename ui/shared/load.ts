/** Reading from the service in components: what was shown stays until the new value is there. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isAway, returned } from './connection.ts';
import { asClientError, type ClientError } from './service.ts';

export type LoadState<T> = {
  readonly value: T | undefined;
  /** Why there is no value. Undefined while only the service is away or too busy and there is an older value. */
  readonly error: ClientError | undefined;
  /** Loading for more than 200 ms. */
  readonly slow: boolean;
  readonly loading: boolean;
  readonly reload: () => void;
};

type State<T> = { readonly value?: T; readonly error?: ClientError; readonly key?: string | undefined };

const SLOW_MS = 200;
/** How long a service that was too busy for a value is left in peace. */
const BUSY_MS = 5000;

/**
 * Loads a value whenever `key` changes; `undefined` loads nothing. A load that is no longer needed is aborted.
 *
 * @param version loads the same value again when it changes
 */
export function useLoad<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  version?: unknown,
): LoadState<T> {
  const [state, setState] = useState<State<T>>({});
  const [slow, setSlow] = useState(false);
  const [round, setRound] = useState(0);
  const reload = () => setRound((n) => n + 1);
  const { value, error } = state;
  const loading = key !== undefined && state.key !== key;
  useReading(key, [version, round], { isShown: !loading }, async (signal) => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    signal.addEventListener('abort', () => clearTimeout(timer));
    try {
      const next = await load(signal);
      if (!signal.aborted) setState({ value: next, key });
    } catch (problem) {
      if (signal.aborted) return;
      const failure = asClientError(problem);
      setState((before) => (before.key === key ? { ...before, error: failure } : { error: failure, key }));
    } finally {
      clearTimeout(timer);
      if (!signal.aborted) setSlow(false);
    }
  });
  // What is shown stays, with all that is typed in it.
  const isOld = value !== undefined && isPassing(error?.status);
  useRetries(error, isOld, reload);
  return { value, error: loading || isOld ? undefined : error, slow: slow && loading, loading, reload };
}

type Reading = { readonly controller: AbortController; readonly version: symbol; isDone: boolean };

/**
 * Reads when `key` or `versions` change; the read before is aborted. The first read of a key goes on until there is something to
 * show, however often the versions change meanwhile, and is followed by another one.
 *
 * @param start reads, and shows what was read or why it was not; never throws
 */
export function useReading(
  key: string | undefined,
  versions: readonly unknown[],
  { isShown }: { readonly isShown: boolean },
  start: (signal: AbortSignal) => Promise<void>,
): void {
  const version = useMemo(() => Symbol(), versions);
  const latest = useRef({ version, start });
  latest.current = { version, start };
  const current = useRef<Reading>(undefined);
  const read = () => {
    current.current?.controller.abort();
    const reading = { controller: new AbortController(), version: latest.current.version, isDone: false };
    current.current = reading;
    const { signal } = reading.controller;
    latest.current.start(signal).then(() => {
      reading.isDone = true;
      if (!signal.aborted && reading.version !== latest.current.version) read();
    });
  };
  useEffect(() => {
    if (key === undefined) return undefined;
    read();
    return () => current.current?.controller.abort();
  }, [key]);
  useEffect(() => {
    const { current: reading } = current;
    if (key !== undefined && reading?.version !== version && (isShown || reading?.isDone)) read();
  }, [version]);
}

/** Whether a failure says nothing of the request: the service is away, too busy, or at fault. */
export function isPassing(status: number | undefined): boolean {
  return isAway(status) || isBusy(status) || (status ?? 200) >= 500;
}

/** Whether the service has too much to do, or is in maintenance. */
function isBusy(status: number | undefined): boolean {
  return status === 429 || status === 503;
}

/**
 * Reads again what the service did not answer: as soon as it responds, if it was away, and after a pause, if it was too busy.
 *
 * @param isShown whether an older answer is on the screen; then it is asked again after a fault of its own, too
 */
export function useRetries(error: ClientError | undefined, isShown: boolean, reload: () => void): void {
  const round = returned.value;
  const first = useRef(round);
  useEffect(() => {
    if (round !== first.current && isAway(error?.status)) reload();
    first.current = round;
  }, [round]);
  const { status } = error ?? {};
  // The bar asks a service again that is away.
  const isLate = !isAway(status) && (isBusy(status) || (isShown && isPassing(status)));
  useEffect(() => {
    if (!isLate) return undefined;
    const timer = setTimeout(reload, BUSY_MS);
    return () => clearTimeout(timer);
  }, [error]);
}

const REPEAT_MS = 10_000;
/** How long what others decide, submit or change may be unseen. */
export const FOLLOW_MS = 3000;

/** Does something again every few seconds while the tab is on the screen, and as soon as it is there again. */
export function useRepeated(work: () => void, milliseconds = REPEAT_MS): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    const run = () => document.visibilityState === 'visible' && latest.current();
    const timer = setInterval(run, milliseconds);
    document.addEventListener('visibilitychange', run);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', run);
    };
  }, [milliseconds]);
}

/** A pause in typing. */
const PAUSE_MS = 120;

/** The value, when it has not changed for a while. */
export function useDebounced<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
