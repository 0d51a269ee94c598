/**
 * Vocabularies for clients.
 *
 * ```ts
 * import { vocabularies } from 'accession/client/vocabularies';
 *
 * const { items } = await laboratory.use(vocabularies).terms('methods', { q: 'light micro' });
 * ```
 */
import type { Http } from '../../client/http.ts';
import type { Term, VocabularySummary } from './api-types.ts';

export type * from './api-types.ts';

export type TermQuery = { q?: string; under?: string | undefined; enum?: string; limit?: number };

export function vocabularies(http: Http, path: string) {
  return {
    /** The vocabularies of the collection. */
    list: (): Promise<readonly VocabularySummary[]> => http.json('GET', `${path}/terms`),
    /** Terms of a vocabulary that match, best first. */
    terms: (vocabulary: string, query: TermQuery): Promise<{ readonly items: readonly Term[] }> =>
      http.json('GET', `${path}/terms/${encodeURIComponent(vocabulary)}`, { query }),
  };
}
