/** Reading from the service in components: what was shown stays until the new value is there. */
import { useEffect, useRef, useState } from 'preact/hooks';
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
  const latest = useRef(load);
  latest.current = load;
  const reload = () => setRound((n) => n + 1);
  useEffect(() => {
    if (key === undefined) return undefined;
    const controller = new AbortController();
    const timer = setTimeout(() => setSlow(true), SLOW_MS);
    latest
      .current(controller.signal)
      .then(
        (value) => {
          if (!controller.signal.aborted) setState({ value, key });
        },
        (problem: unknown) => {
          if (controller.signal.aborted) return;
          const error = asClientError(problem);
          setState((before) => (before.key === key ? { ...before, error } : { error, key }));
        },
      )
      .finally(() => {
        clearTimeout(timer);
        if (!controller.signal.aborted) setSlow(false);
      });
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [key, version, round]);
  const { error } = state;
  useReturned(error, reload);
  // What is shown stays, with all that is typed in it. The bar asks a service again that is away.
  const isOld = state.value !== undefined && isPassing(error?.status);
  const isBusy = isOld && !isAway(error?.status);
  useEffect(() => {
    if (!isBusy) return undefined;
    const timer = setTimeout(reload, BUSY_MS);
    return () => clearTimeout(timer);
  }, [error]);
  const loading = key !== undefined && state.key !== key;
  return {
    value: state.value,
    error: loading || isOld ? undefined : error,
    slow: slow && loading,
    loading,
    reload,
  };
}

/** Whether a failure says nothing of the request: the service is away, too busy, or at fault. */
function isPassing(status: number | undefined): boolean {
  return isAway(status) || status === 429 || (status ?? 200) >= 500;
}

/** Reads again when the service responds again, if it was away. */
export function useReturned(error: ClientError | undefined, reload: () => void): void {
  const round = returned.value;
  const first = useRef(round);
  useEffect(() => {
    if (round !== first.current && isAway(error?.status)) reload();
    first.current = round;
  }, [round]);
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
