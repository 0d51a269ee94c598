/** Reading from the service in components: what was shown stays until the new value is there. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { asClientError, type ClientError } from './service.ts';

export type Loaded<T> = {
  readonly value: T | undefined;
  readonly error: ClientError | undefined;
  /** Loading for more than 200 ms. */
  readonly slow: boolean;
  readonly loading: boolean;
  readonly reload: () => void;
};

const SLOW_MS = 200;

/** Loads a value whenever `key` changes; `undefined` loads nothing. A load that is no longer needed is aborted. */
export function useLoad<T>(key: string | undefined, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ value?: T; error?: ClientError; key?: string | undefined }>({});
  const [slow, setSlow] = useState(false);
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;
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
        (error: unknown) => {
          if (controller.signal.aborted) return;
          setState({ error: asClientError(error), key });
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
  }, [key, round]);
  const loading = key !== undefined && state.key !== key;
  return {
    value: state.value,
    error: loading ? undefined : state.error,
    slow: slow && loading,
    loading,
    reload: () => setRound(round + 1),
  };
}

/** The value, a while after it last changed. */
export function useDebounced<T>(value: T, milliseconds: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value, milliseconds]);
  return settled;
}
