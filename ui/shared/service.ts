/** The service as the token of the session sees it: the client library, nothing that another program could not use. */
import {
  ClientError,
  type CollectionClient,
  connect,
  type Fetch,
  type ServiceClient,
} from '../../src/client/client.ts';
import { askAgain, away, isAway, LostAnswer, NotDone, noteAnswer, noteAway } from './connection.ts';
import { parseJson } from './json.ts';
import { knownAnswer, noteContent } from './kept-answers.ts';
import { SERVICE } from './router.ts';
import { session, tokenRefused } from './session.ts';

export { ClientError } from '../../src/client/client.ts';

/** The client; `signal` ends its requests, `token` tries another token than that of the session. */
export function service({ signal, token }: { signal?: AbortSignal; token?: string } = {}): ServiceClient {
  return connect({
    url: SERVICE.href,
    token: token ?? (() => session.token.peek()),
    fetch: send,
    retries: 0,
    parse: parseJson,
    ...(signal && { signal }),
  });
}

/** A collection of the service. */
export function lab(name: string, signal?: AbortSignal): CollectionClient {
  return service(signal && { signal }).collection(name);
}

/**
 * Cookies are never sent; a refused token of the session is remembered, and so is a service that does not respond. What forms need
 * to know is answered by this device then. What may change something is not sent while the service is away: its answer would be
 * missing, too.
 *
 * @throws NotDone if it was not sent
 * @throws LostAnswer if it was sent, may have changed something, and has no whole answer
 */
async function send(...[url, { safe, ...init }]: Parameters<Fetch>): Promise<Response> {
  const known = () => (init.method === 'GET' ? knownAnswer(url) : undefined);
  if (!safe && away.peek() !== undefined && !(await askAgain())) throw new NotDone('not sent');
  let response: Response;
  try {
    response = await fetch(url, { ...init, credentials: 'omit', cache: 'no-cache' });
    // The connection may break within an answer, too.
    if (!safe) await response.clone().arrayBuffer();
  } catch (error) {
    if (init.signal?.aborted) throw error;
    noteAway();
    const answer = known();
    if (answer) return answer;
    throw safe ? error : new LostAnswer('no answer', { cause: error });
  }
  if (isAway(response.status)) {
    noteAway();
    if (!safe) throw new LostAnswer(`a proxy answers with ${response.status}`);
    return known() ?? response;
  }
  noteAnswer();
  const token = new Headers(init.headers).get('x-service-token');
  if (response.ok && token !== null) noteContent(url, response).catch(() => {});
  if (response.status === 401 && token !== null && token === session.token.peek()) tokenRefused();
  return response;
}

/** Turns any error into one of the service: a program error has the status -1. */
export function asClientError(error: unknown): ClientError {
  return error instanceof ClientError ? error : new ClientError(String(error), -1);
}

/** Saves a file: a link could not carry the token. */
export function saveAs(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
