/** What each step of an import needs: the draft, the class of the rows with their columns, and how rows are sent. */
import { useMemo } from 'preact/hooks';
import { useLoad } from '../../../../ui/shared/load.ts';
import { readClass, readClasses, usualClass } from '../../../../ui/shared/schema.ts';
import { lab } from '../../../../ui/shared/service.ts';
import { type TableOptions, tables } from '../client.ts';
import { choicesOf } from './choices.ts';
import type { ImportDraft } from './import-draft.ts';
import { ofRows } from './read-options.tsx';
import { asRead, type Kind } from './sheet.ts';

export type ImportWay = ReturnType<typeof useImportWay>;

/** @param attempt does the work of a step, and shows why it failed */
export function useImportWay(
  collection: string,
  draft: ImportDraft,
  attempt: (work: () => Promise<void>) => Promise<boolean>,
) {
  const columns = useColumns(collection, draft);
  /** Sends rows to be stored, or checked by a dry run. */
  const send = (rows: string, more: TableOptions) =>
    lab(collection)
      .use(tables)
      .put(columns.chosen, rows, { details: true, ...ofRows(draft.options), ...more });
  return { collection, draft, attempt, send, ...columns };
}

/** The class of the rows, and the columns as its slots, when both are read. */
function useColumns(collection: string, { className, table, targets, options }: ImportDraft) {
  const classes = useLoad(collection, (signal) => readClasses(collection, signal));
  const concrete = classes.value?.filter(({ abstract }) => !abstract) ?? [];
  const chosen = className || usualClass(concrete) || '';
  const described = useLoad(table && `${collection}/${chosen}`, async () => {
    const [description, choices] = await Promise.all([
      readClass(collection, chosen),
      choicesOf(collection, chosen),
    ]);
    return { description, choices };
  });
  const found = described.value?.description.class === chosen ? described.value : undefined;
  // What cells are depends on the slots of their columns; all rows are gone through.
  const sheet = useMemo(() => {
    const kindOf = (slot: string): Kind =>
      found?.choices.find((one) => one.slot === slot)?.kind ?? { kind: 'any' };
    return table && asRead(table.sheet, targets, kindOf, options);
  }, [table?.sheet, targets, found, options]);
  return { classes, concrete, chosen, described, read: sheet && found && { sheet, ...found } };
}
