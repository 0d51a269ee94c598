/**
 * Releases for clients.
 *
 * ```ts
 * import { releases } from 'accession/client/releases';
 *
 * const { digest } = await laboratory.use(releases).create('2026-11');
 * ```
 */
import type { Http } from '../../client/http.ts';
import type { Release } from './api-types.ts';

export type * from './api-types.ts';

/** The interval in which the state of a release is read until it is made. */
const POLL_MS = 500;

export function releases(http: Http, path: string) {
  const own = (name: string) => `${path}/releases/${encodeURIComponent(name)}`;
  const read = (name: string): Promise<Release> => http.json('GET', own(name));
  return {
    /** The releases, newest first. */
    list: (): Promise<readonly Release[]> => http.items(`${path}/releases`),
    read,
    /**
     * Releases the curated area as it is now, for curators and administrators. Waits until it is done or has failed.
     * `progress` is called when the request is accepted, then with each state that is read.
     */
    async create(
      name: string,
      { notes, progress }: { notes?: string | undefined; progress?: (release: Release) => void } = {},
    ): Promise<Release> {
      let release = await http.json<Release>('POST', `${path}/releases`, { json: { name, notes } });
      progress?.(release);
      while (release.state === 'making') {
        await new Promise((done) => setTimeout(done, POLL_MS));
        release = await read(name);
        progress?.(release);
      }
      return release;
    },
    /**
     * Withdraws a release, for administrators: its files are removed, its name, digest and the reason stay.
     *
     * @returns null if it was not done: nothing of it stays
     */
    withdraw: (name: string, reason: string): Promise<Release | null> =>
      http.json('DELETE', own(name), { query: { reason } }),
    /** A file of a release, or `crate.zip` with all of them, in chunks. */
    async *file(name: string, file: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
      yield* http.chunks(await http.send('GET', `${own(name)}/${encodeURIComponent(file)}`));
    },
  };
}
