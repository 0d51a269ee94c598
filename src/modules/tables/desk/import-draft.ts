/** What is chosen and typed on the way of an import, and the rows of its file; both outlive a reload. */
import { useKept } from '../../../../ui/shared/kept.ts';
import { useKeptData } from '../../../../ui/shared/kept-data.ts';
import type { IdentifierOptions } from './columns-step.tsx';
import type { ReadOptions } from './read-options.tsx';
import type { Sheet, Targets, Verdict } from './sheet.ts';

export const STEPS = ['file', 'columns', 'rows', 'result'] as const;
export type Step = (typeof STEPS)[number];

/** The verdicts of the service about all rows. */
export type CheckedTable = {
  readonly sheet: Sheet;
  readonly targets: Targets;
  readonly verdicts: readonly Verdict[];
  /** The cells that were typed here, as they were then. */
  readonly cells: Cells;
};

/** The rows of a file that was read. */
export type Table = {
  readonly sheet: Sheet;
  readonly checked?: CheckedTable;
  /** Rows that got an identifier here. */
  readonly made?: ReadonlySet<number>;
};

/** Texts of cells that were typed here, by `cellKey`: they are kept when the columns are chosen again. */
export type Cells = Record<string, string>;

type Draft = {
  className: string;
  step: Step;
  options: ReadOptions;
  targets: (string | null)[];
  making: IdentifierOptions;
  cells: Cells;
  filter: Verdict['outcome'] | 'all';
  batch: string;
  message: string;
  submitted: number;
};

const EMPTY: Draft = {
  className: '',
  step: 'file',
  options: {},
  targets: [],
  making: { make: true, prefix: '' },
  cells: {},
  filter: 'all',
  batch: '',
  message: '',
  submitted: 0,
};

export type ImportDraft = ReturnType<typeof useImportDraft>;

export function useImportDraft(collection: string) {
  const [draft, setDraft, forgetDraft] = useKept<Draft>(`import/${collection}`, EMPTY);
  const kept = useKeptData<Table>(`import/${collection}`);
  const table = kept.value;
  const checked = table?.checked;
  return {
    ...draft,
    // What a step shows may not have been kept.
    step: !table ? 'file' : checked || draft.step === 'file' ? draft.step : ('columns' satisfies Step),
    kept,
    table,
    checked,
    note: (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes })),
    /** Goes back to the choice of a file. */
    restart() {
      kept.change(undefined);
      setDraft((before) => ({ ...before, step: 'file', targets: [], cells: {}, filter: 'all' }));
    },
    forget() {
      kept.forget();
      forgetDraft();
    },
  };
}
