/** The way of an import: a file is read, its columns become slots, its rows are checked, and the good ones are submitted. */
import { useContext } from 'preact/hooks';
import { useAction } from '../../../../ui/shared/action.ts';
import { Submissions } from '../../../../ui/shared/submission-urls.ts';
import { useImportDraft } from './import-draft.ts';
import { useImportWay } from './import-way.ts';
import { useChecks } from './use-checks.ts';
import { useFile } from './use-file.ts';
import { useSubmit } from './use-submit.ts';

export type ImportWork = ReturnType<typeof useImport>;

export function useImport(collection: string) {
  const draft = useImportDraft(collection);
  const { busy, error, run: attempt } = useAction((work: () => Promise<void>) => work());
  const way = useImportWay(collection, draft, attempt);
  const file = useFile(way);
  const checks = useChecks(way);
  const submission = useSubmit(way, checks.checkCells);
  const submissions = useContext(Submissions);
  const { classes, concrete, chosen, described, read } = way;
  return {
    ...{ ...draft, ...file, ...checks, ...submission, submissions, busy, error },
    ...{ classes, concrete, chosen, described, read },
  };
}
