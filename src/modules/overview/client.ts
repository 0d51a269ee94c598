/**
 * The overview of a collection for clients.
 *
 * ```ts
 * import { overview } from 'accession/client/overview';
 *
 * const { records, slots } = await laboratory.use(overview).counts({ class: 'Publication' });
 * ```
 */
import type { Http } from '../../client/http.ts';
import type { Activity, Overview, SlotValues, Week } from './api-types.ts';

export type * from './api-types.ts';

/** Which records: words, a class, and conditions on slots, as in a search. */
export type Sought = {
  readonly q?: string | undefined;
  readonly class?: string | undefined;
  readonly where?: Readonly<Record<string, string | readonly string[]>> | undefined;
};

type Period = { readonly class?: string | undefined; readonly weeks?: number | undefined };

export function overview(http: Http, path: string) {
  const queryOf = ({ where, ...query }: Sought) => ({ ...where, ...query });
  return {
    /** How many records there are, of which classes, and how complete. */
    counts: (sought: Sought = {}): Promise<Overview> =>
      http.json('GET', `${path}/overview`, { query: queryOf(sought) }),
    /** How many of the records have each value of a slot, or values in ranges. */
    values: (slot: string, sought: Sought = {}): Promise<SlotValues> =>
      http.json('GET', `${path}/overview/values`, { query: { ...queryOf(sought), slot } }),
    /** How many curated records were made and deleted in each week. */
    weeks: (query: Period = {}): Promise<readonly Week[]> => http.items(`${path}/overview/weeks`, query),
    /** Submissions and decisions by week, how long they took, and who submits; for curators. */
    submissions: (query: Period = {}): Promise<Activity> =>
      http.json('GET', `${path}/overview/submissions`, { query }),
  };
}
