/** A request of the user to the service: whether it runs, and why it was refused. */
import { useEffect, useState } from 'preact/hooks';
import { isAway, isUnknown, returned } from './connection.ts';
import { forget } from './schema.ts';
import { asClientError, type ClientError } from './service.ts';

type Action<A extends unknown[]> = {
  /** Whether the request runs; its button is disabled. */
  readonly busy: boolean;
  /**
   * Why the last request was refused, until the next one; if nothing was sent since the service was away, until it is back. If the
   * answer was lost, views read again what they show when it is back.
   */
  readonly error: ClientError | undefined;
  /** Does the work and never throws. @returns whether it succeeded */
  readonly run: (...args: A) => Promise<boolean>;
};

/** The state of one action of a component; `work` throws what the person has to read. */
export function useAction<A extends unknown[]>(work: (...args: A) => Promise<unknown>): Action<A> {
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<{ readonly error: ClientError; readonly round: number }>();
  const run = async (...args: A) => {
    setBusy(true);
    setFailed(undefined);
    try {
      await work(...args);
      return true;
    } catch (caught) {
      setFailed({ error: asClientError(caught), round: returned.peek() });
      return false;
    } finally {
      setBusy(false);
    }
  };
  const isBack = failed !== undefined && failed.round !== returned.value;
  const isLost = isUnknown(failed?.error);
  useEffect(() => {
    if (isBack && isLost) forget();
  }, [isBack, isLost]);
  const isOver = isBack && !isLost && isAway(failed.error.status);
  return { busy, error: isOver ? undefined : failed?.error, run };
}
