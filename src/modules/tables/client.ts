/**
 * Tables for clients.
 *
 * ```ts
 * import { tables } from 'accession/client/tables';
 *
 * const { stored, faults } = await laboratory.use(tables).put('Person', file);
 * const checked = await laboratory.curated.use(tables).put('Person', file, { dryRun: true });
 * ```
 */
import type { StoreOptions } from '../../client/client.ts';
import type { Http } from '../../client/http.ts';
import type { TableResult } from './api-types.ts';

export type * from './api-types.ts';

export type TableOptions = Pick<StoreOptions, 'batch' | 'message'> & {
  readonly dryRun?: boolean | undefined;
  readonly details?: boolean | undefined;
  readonly replace?: boolean | undefined;
  /** How the table is read: see the parameters of the endpoint. */
  readonly sheet?: string | undefined;
  readonly headerRow?: number | undefined;
  readonly encoding?: string | undefined;
  readonly decimalComma?: boolean | undefined;
  readonly dates?: 'dmy' | 'mdy' | 'excel' | undefined;
  /** The slots of columns with other headers, by these. */
  readonly map?: Readonly<Record<string, string>> | undefined;
};

export function tables(http: Http, path: string) {
  const table = (className: string) => `${path}/table/${encodeURIComponent(className)}`;
  return {
    /** Stores the rows of a CSV, XLSX or ODS file; `dryRun` only checks them, and `details` lists every row. */
    put: (
      className: string,
      file: Blob | string,
      { dryRun, headerRow, decimalComma, map = {}, ...others }: TableOptions = {},
    ): Promise<TableResult> =>
      http.json('POST', table(className), {
        body: file,
        safe: dryRun,
        query: {
          dry_run: dryRun,
          header_row: headerRow,
          decimal_comma: decimalComma,
          map: Object.entries(map).map((pair) => pair.join('=')),
          ...others,
        },
      }),
    /** The empty table of a class, of a collection. */
    template: async (className: string, format: 'csv' | 'xlsx'): Promise<Blob> =>
      (await http.send('GET', table(className), { query: { format } })).blob(),
  };
}
