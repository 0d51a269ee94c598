/** The functions of tables that threads run. */
import { type JsonObject, parseJson } from '#linkml/json.ts';
import type { RecordText } from '../../core/records/record.ts';
import { type SubmissionMode, validateObject } from '../../core/records/submit.ts';
import { inParts, type OfSchema, ofSchema } from '../../core/work/task.ts';
import { type ReferencedRecords, recordsOfTable, requestTable } from './request.ts';
import { type LabelEntry, Labels } from './rows/labels.ts';
import type { TableReading } from './rows/read-table.ts';

/** A table of records of a class. */
type OfTable = OfSchema & { readonly className: string; readonly reading: TableReading };

/** A table as it was sent, and what its rows refer to. @throws ServiceError `body_malformed`, `body_too_large` */
export const tableIn = ofSchema(
  ({ schema, className, bytes, reading }: OfTable & { readonly bytes: Uint8Array }) =>
    requestTable(bytes, { schema, className, locale: reading, map: reading.map }, reading),
);

export const labelsIn = ofSchema(
  ({
    schema,
    records,
  }: OfSchema & { readonly records: readonly Pick<RecordText, 'className' | 'json'>[] }): LabelEntry[] => {
    const labels = new Labels(schema);
    return records.flatMap(({ className, json }) =>
      labels.entriesOf(className, parseJson(json) as JsonObject),
    );
  },
);

type TableTask = {
  readonly table: Uint8Array;
  readonly judging: SubmissionMode;
  readonly details: boolean;
  readonly replace: boolean;
};

/** The records that the rows of a table become, in parts, and the response as JSON. */
export const judgeTable = ofSchema(({ table, judging, ...task }: OfTable & ReferencedRecords & TableTask) => {
  const { schema, className, details, replace, reading: locale } = task;
  const options = { schema, className, details, replace, locale, map: locale.map };
  const { records, result } = recordsOfTable(table, task, options, (record) =>
    validateObject(schema, className, record, judging),
  );
  return { records: inParts(records), result: JSON.stringify(result) };
});
