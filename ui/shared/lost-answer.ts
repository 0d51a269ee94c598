/** What became of something that was sent and has no answer: the service is asked, if it responds again at once. */
import { askAgain, isUnknown, NotDone } from './connection.ts';
import { asClientError, ClientError } from './service.ts';

/**
 * Sends something, and asks what became of it if the answer is lost.
 *
 * @throws ClientError as {@link whatBecame} does
 */
export async function lookedUp<T>(send: () => Promise<T>, became: () => Promise<T | undefined>): Promise<T> {
  try {
    return await send();
  } catch (problem) {
    const error = asClientError(problem);
    if (!isUnknown(error)) throw error;
    return whatBecame(error, became);
  }
}

/**
 * Asks what became of something that was sent. It may still be in progress, so what is sent again has to name the state that it is
 * for.
 *
 * @param became returns what the answer would have been, or undefined if nothing was done
 * @throws ClientError `lost` if the service cannot be asked; one whose cause is `NotDone` if nothing was done
 */
export async function whatBecame<T>(lost: ClientError, became: () => Promise<T | undefined>): Promise<T> {
  if (!(await askAgain())) throw lost;
  const found = await became().catch(() => {
    throw lost;
  });
  if (found !== undefined) return found;
  throw new ClientError(lost.message, 0, [], { cause: new NotDone('not found') });
}
