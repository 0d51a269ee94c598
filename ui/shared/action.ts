/** A request of the user to the service: whether it runs, and why it was refused. */
import { useState } from 'preact/hooks';
import { asClientError, type ClientError } from './service.ts';

export type Action<A extends unknown[]> = {
  /** Whether the request runs; its button is disabled. */
  readonly busy: boolean;
  /** Why the last request was refused, until the next one. */
  readonly error: ClientError | undefined;
  /** Does the work and never throws. @returns whether it succeeded */
  readonly run: (...args: A) => Promise<boolean>;
};

/** The state of one action of a component; `work` throws what the person has to read. */
export function useAction<A extends unknown[]>(work: (...args: A) => Promise<unknown>): Action<A> {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ClientError>();
  const run = async (...args: A) => {
    setBusy(true);
    setError(undefined);
    try {
      await work(...args);
      return true;
    } catch (caught) {
      setError(asClientError(caught));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, error, run };
}
