/** Changes the settings of a collection, which are stored as a whole. */
import { ClientError, type Http } from './http.ts';

/** Proxies that change entity tags would have it repeated for ever. */
const MOST_ATTEMPTS = 10;

/**
 * Stores what `change` makes of the settings that are stored now. It is called again if another client has changed them meanwhile, so
 * both changes stay.
 *
 * @param path the path of the collection below `/-`
 * @returns the settings that are stored
 * @throws ClientError with status 412 if other clients were first ten times
 */
export async function changeSettings<Settings extends object>(
  http: Http,
  path: string,
  change: (stored: Settings) => Settings,
): Promise<Settings> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await http.send('GET', `${path}/settings`);
    const ifMatch = response.headers.get('etag') ?? undefined;
    const stored = http.parse(await http.text(response), response) as Settings;
    try {
      return await http.json<Settings>('PUT', `${path}/settings`, {
        json: change(stored),
        headers: { 'if-match': ifMatch },
      });
    } catch (error) {
      const isOutdated = error instanceof ClientError && error.status === 412;
      if (!isOutdated || attempt === MOST_ATTEMPTS) throw error;
    }
  }
}
