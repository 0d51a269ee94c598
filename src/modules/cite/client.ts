/**
 * Citations for clients.
 *
 * ```ts
 * import { cite } from 'accession/client/cite';
 *
 * const entry = await laboratory.use(cite).record('labid:person-ada-abe', 'bibtex');
 * ```
 */
import type { Http } from '../../client/http.ts';

export type CitationFormat = 'text' | 'bibtex' | 'ris' | 'csl';

export function cite(http: Http, path: string) {
  const read = async (query: Readonly<Record<string, string>>) =>
    http.text(await http.send('GET', `${path}/cite`, { query }));
  return {
    /** The citation of a record. */
    record: (pid: string, format: CitationFormat = 'text'): Promise<string> => read({ pid, format }),
    /** The citation of a release. */
    release: (release: string, format: CitationFormat = 'text'): Promise<string> => read({ release, format }),
  };
}
