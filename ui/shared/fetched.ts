/** Parts of the desk that are separate files, which are fetched when they are first shown, or when the browser is idle. */
import { t } from '../texts/texts.ts';
import { askAgain } from './connection.ts';
import { type LoadState, useLoad } from './load.ts';
import { ClientError } from './service.ts';

type Fetch<Part> = () => Promise<Part>;

/** The parts that are there, by what fetches them. */
const fetched = new Map<Fetch<unknown>, unknown>();

async function fetchOnce<Part>(fetchIt: Fetch<Part>): Promise<Part> {
  const part = await fetchIt();
  fetched.set(fetchIt, part);
  return part;
}

/** Fetches a part before it is shown. If it cannot be fetched now, it is fetched then. */
export function fetchAhead(fetchIt: Fetch<unknown>): void {
  fetchOnce(fetchIt).catch(() => {});
}

/**
 * Fetches a part, and once again if that fails while the service responds.
 *
 * @throws ClientError with status 0 if the service is away, and -1 if it responds and does not have the file: it is of another release
 */
export async function fetchPart<Part>(fetchIt: Fetch<Part>): Promise<Part> {
  try {
    return await fetchOnce(fetchIt);
  } catch {
    if (!(await askAgain())) throw new ClientError(t('error.offline'), 0);
  }
  try {
    return await fetchOnce(fetchIt);
  } catch {
    throw new ClientError(t('error.file'), -1);
  }
}

/**
 * A part for a component: at once if it is there, else when it is fetched. While the service is away, it is fetched again as soon
 * as that responds.
 *
 * @param fetchIt the same function for the same part
 */
export function useFetched<Part>(
  name: string,
  fetchIt: Fetch<Part>,
): Pick<LoadState<Part>, 'error' | 'reload'> & { readonly part: Part | undefined } {
  const known = fetched.get(fetchIt) as Part | undefined;
  // A component by itself would be called as an update of the state.
  const { value, error, loading, reload } = useLoad(known ? undefined : name, async () => ({
    part: await fetchPart(fetchIt),
  }));
  if (known) return { part: known, error: undefined, reload };
  return { part: loading ? undefined : value?.part, error, reload };
}
