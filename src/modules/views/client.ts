/**
 * Saved views for clients.
 *
 * ```ts
 * import { views } from 'accession/client/views';
 *
 * const saved = await laboratory.use(views).list('Person');
 * ```
 */
import type { Http } from '../../client/http.ts';
import type { SavedView } from './api-types.ts';

export type * from './api-types.ts';

export function views(http: Http, path: string) {
  const one = (className: string, name: string) =>
    `${path}/views/${encodeURIComponent(className)}/${encodeURIComponent(name)}`;
  return {
    /** The views of all classes, or of one. */
    list: (className?: string): Promise<readonly SavedView[]> =>
      http.items(`${path}/views`, { class: className }),
    /** Saves a view, or replaces it. */
    put: ({ class: className, name, query }: SavedView): Promise<SavedView> =>
      http.json('PUT', one(className, name), { json: { query } }),
    async delete({ class: className, name }: Pick<SavedView, 'class' | 'name'>): Promise<void> {
      await http.send('DELETE', one(className, name));
    },
  };
}
