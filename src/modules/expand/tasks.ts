import { serialize } from 'node:v8';
import { batches } from '../../core/batches.ts';
import { type OfRecord, ofSchema } from '../../core/work/task.ts';
import { type Edits, LONGEST_RUN, referenceRuns, referralsOf, writeExpanded } from './texts.ts';

/** The references of a record, in serialized parts. */
export const referencesIn = ofSchema(async ({ schema, ...record }: OfRecord): Promise<Uint8Array[]> => {
  const parts: Uint8Array[] = [];
  const limits = { items: LONGEST_RUN, characters: LONGEST_RUN };
  const runs = referenceRuns(schema, record);
  for await (const part of batches(runs, limits, ({ iris }) => iris.length)) parts.push(serialize(part));
  return parts;
});

/** See {@link writeExpanded}. */
export const expandedIn = ofSchema(({ schema, edits, ...record }: OfRecord & { readonly edits: Edits }) =>
  writeExpanded(schema, record, edits),
);

/** See {@link referralsOf}. */
export const referralsIn = ofSchema(
  ({ schema, iris, ...record }: OfRecord & { readonly iris: ReadonlySet<string> }) =>
    referralsOf(schema, record, iris),
);
