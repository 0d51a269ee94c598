/** Submits the good rows of an import; those that are refused stay, to be corrected or saved as a file. */
import { useEffect, useState } from 'preact/hooks';
import { isUnknown, returned } from '../../../../ui/shared/connection.ts';
import { saveAs } from '../../../../ui/shared/service.ts';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { toast } from '../../../../ui/shared/toast.tsx';
import type { Cells, CheckedTable } from './import-draft.ts';
import type { ImportWay } from './import-way.ts';
import { csvOf, refusedCsv, type Verdict, verdictsOf } from './sheet.ts';
import { ti } from './texts.ts';

export function useSubmit(
  { draft, chosen, attempt, send }: ImportWay,
  checkCells: (cells: Cells) => Promise<unknown>,
) {
  const { kept, table, checked, batch, message, cells } = draft;
  /** Rows that were submitted without an answer are checked again when the service is back. */
  const [again, setAgain] = useState<'due' | 'checked'>();
  const having = (...outcomes: readonly Verdict['outcome'][]) =>
    checked?.verdicts.filter(({ outcome }) => outcomes.includes(outcome)) ?? [];
  const good = having('new', 'changed');
  const refused = having('refused');
  /** Keeps the rows that are not submitted; without any, the import is over. */
  const keep = (of: CheckedTable, left: readonly Verdict[]) => {
    if (table)
      kept.change({ ...table, checked: { ...of, sheet: { ...of.sheet, rows: left }, verdicts: left } });
    if (left.length === 0) draft.forget();
  };
  const submitGood = () =>
    attempt(async () => {
      if (!checked) return;
      const { sheet, targets } = checked;
      setAgain(undefined);
      const result = await send(csvOf(targets, good), {
        ...(batch !== '' && { batch }),
        ...(message !== '' && { message }),
      }).catch((problem) => {
        if (isUnknown(problem)) setAgain('due');
        throw problem;
      });
      afterWrite();
      // A row that was refused meanwhile stays with the others that were.
      const late = verdictsOf({ ...sheet, rows: good }, targets, good, result).filter(
        ({ outcome }) => outcome === 'refused',
      );
      draft.note({ step: 'result', submitted: result.stored });
      keep(
        checked,
        [...refused, ...late].toSorted((a, b) => a.row - b.row),
      );
      toast(ti('submitted', { n: result.stored }));
    });
  // What was stored of rows whose answer was lost is unchanged by another check.
  useEffect(() => {
    if (again !== 'due') return;
    setAgain('checked');
    checkCells(cells);
  }, [returned.value]);
  const saveRefused = () => {
    if (!checked) return;
    const text = refusedCsv(checked.sheet, refused, ti('problem'));
    saveAs(new Blob([`\ufeff${text}`], { type: 'text/csv' }), `${chosen}.rejected.csv`);
  };
  return { good, refused, same: having('unchanged').length, again, submitGood, saveRefused };
}
