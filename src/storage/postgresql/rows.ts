/** Rows of the record table as the statements of this room return them. */
import type { StoredRecord } from '../store.ts';

export type RecordRow = {
  readonly iri_key: string;
  readonly iri_long: string | null;
  readonly pid_start: string;
  readonly pid_end: string;
  readonly class_name: string;
  readonly revision: number;
  readonly json: string;
};

/** The columns of {@link RecordRow} but its text, of the table under the alias `r`. */
const KEY_COLUMNS = 'r.iri_key, r.iri_long, r.pid_start, r.pid_end, r.class_name, r.revision';

/** The columns of {@link RecordRow}. */
export const ROW_COLUMNS = `${KEY_COLUMNS}, r.json`;

/** The same without the text, for records of which only the keys are wanted. */
export const KEY_ROW_COLUMNS = `${KEY_COLUMNS}, '' AS json`;

export function toRecord(row: RecordRow): StoredRecord {
  return {
    pid: row.pid_start + row.pid_end,
    iri: row.iri_long ?? row.iri_key,
    className: row.class_name,
    json: row.json,
    revision: row.revision,
  };
}
