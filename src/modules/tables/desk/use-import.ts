/** What is chosen, typed, checked and sent on the way of an import; it outlives a reload. */

import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { identifierPrefix } from '../../../../ui/form/new-record.ts';
import { useAction } from '../../../../ui/shared/action.ts';
import { isUnknown, returned } from '../../../../ui/shared/connection.ts';
import { isEqual } from '../../../../ui/shared/json.ts';
import { useKept } from '../../../../ui/shared/kept.ts';
import { useKeptData } from '../../../../ui/shared/kept-data.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import {
  type ClassDescription,
  readClass,
  readClasses,
  titleSlot,
  usualClass,
} from '../../../../ui/shared/schema.ts';
import { lab, saveAs } from '../../../../ui/shared/service.ts';
import { Submissions } from '../../../../ui/shared/submission-urls.ts';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { toast } from '../../../../ui/shared/toast.tsx';
import { type TableOptions, type TableResult, tables } from '../client.ts';
import { csvRow } from '../files/csv.ts';
import { choicesOf } from './choices.ts';
import type { IdentifierOptions } from './columns-step.tsx';
import { withIdentifiers, withoutIdentifiers } from './identifiers.ts';
import { readFile, UnreadFile } from './read-file.ts';
import { ofFile, ofRows, type ReadOptions } from './read-options.tsx';
import {
  asRead,
  cellKey,
  csvOf,
  type Kind,
  refusedCsv,
  type Sheet,
  sendable,
  sheetOf,
  type Targets,
  targetsOf,
  type Verdict,
  verdictsOf,
  withCells,
} from './sheet.ts';
import { ti } from './texts.ts';

export const STEPS = ['file', 'columns', 'rows', 'result'] as const;
export type Step = (typeof STEPS)[number];

/** The verdicts of the service about all rows. */
type CheckedTable = {
  readonly sheet: Sheet;
  readonly targets: Targets;
  readonly verdicts: readonly Verdict[];
  /** The cells that were typed here, as they were then. */
  readonly cells: Cells;
};
/** The rows of a file that was read. */
type Table = {
  readonly sheet: Sheet;
  readonly checked?: CheckedTable;
  /** Rows that got an identifier here. */
  readonly made?: ReadonlySet<number>;
};

/** Texts of cells that were typed here, by {@link cellKey}: they are kept when the columns are chosen again. */
type Cells = Record<string, string>;

/** A file that is being read. */
export type Reading = { readonly file: File; readonly cancel: () => void };

/** What people choose and type on the way. */
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

export function useImport(collection: string) {
  const classes = useLoad(collection, (signal) => readClasses(collection, signal));
  const concrete = classes.value?.filter(({ abstract }) => !abstract) ?? [];
  const [draft, setDraft, forgetDraft] = useKept<Draft>(`import/${collection}`, EMPTY);
  const submissions = useContext(Submissions);
  const { className, options, targets, making, cells, filter, batch, message, submitted } = draft;
  const note = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const kept = useKeptData<Table>(`import/${collection}`);
  const table = kept.value;
  const checked = table?.checked;
  // What a step shows may not have been kept.
  const step = !table ? 'file' : checked || draft.step === 'file' ? draft.step : 'columns';
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
  const read = sheet && found && { sheet, ...found };
  /** Counts checks: an answer that a later one has overtaken is dropped. */
  const round = useRef(0);
  const { busy, error, run: attempt } = useAction((work: () => Promise<void>) => work());
  const [reading, setReading] = useState<Reading>();
  /** Rows that were submitted without an answer are checked again when the service is back. */
  const [again, setAgain] = useState<'due' | 'checked'>();
  const [unread, setUnread] = useState<string>();
  const reader = useRef<AbortController>(undefined);
  useEffect(() => () => reader.current?.abort(), []);
  const open = async (file: File, signal: AbortSignal) => {
    const read = sheetOf(await readFile(file, ofFile(options), signal));
    // The service knows which slots the headers name.
    const [result, prefix] = await Promise.all([
      send(csvRow(read.header), { dryRun: true }),
      readClass(collection, chosen).then((one) => identifierPrefix(collection, one)),
    ]);
    signal.throwIfAborted();
    kept.change({ sheet: read });
    note({
      className: chosen,
      step: 'columns',
      targets: [...targetsOf(result)],
      making: { make: true, prefix },
      cells: {},
    });
  };
  const choose = (file: File) =>
    attempt(async () => {
      reader.current?.abort();
      const own = new AbortController();
      reader.current = own;
      setReading({ file, cancel: () => own.abort() });
      try {
        await open(file, own.signal);
      } catch (error) {
        if (own.signal.aborted) return;
        if (!(error instanceof UnreadFile)) throw error;
        setUnread(error.message);
      } finally {
        if (reader.current === own) setReading(undefined);
      }
    });
  const send = (table: string, more: TableOptions) =>
    lab(collection)
      .use(tables)
      .put(chosen, table, { details: true, ...ofRows(options), ...more });
  const check = async (of: Table, targets: Targets, cells: Cells): Promise<void> => {
    round.current += 1;
    const number = round.current;
    const sheet = withCells(of.sheet, cells);
    const rows = sendable(sheet, targets);
    const none: TableResult = {
      rows: 0,
      stored: 0,
      unchanged: 0,
      refused: 0,
      faults: [],
      removed: 0,
      removals: [],
      notes: [],
    };
    const result = rows.length === 0 ? none : await send(csvOf(targets, rows), { dryRun: true });
    if (number !== round.current || !table) return;
    const verdicts = verdictsOf(sheet, targets, rows, result);
    const made = of.made ?? new Set();
    kept.change({ sheet: table.sheet, made, checked: { sheet, targets, verdicts, cells } });
  };
  const checkRows = () =>
    attempt(async () => {
      if (!read) return;
      const { description } = read;
      // A name that was corrected here is part of the identifier.
      const sheet = withCells(read.sheet, cells);
      const filled =
        making.make && (await withIdentifiers(collection, description, making.prefix, { sheet, targets }));
      await check(filled || { sheet }, filled ? filled.targets : targets, cells);
      note({ filter: 'all', step: 'rows' });
    });
  const typed = (row: number, index: number, text: string): Cells => ({
    ...cells,
    [cellKey(row, index)]: text,
  });
  const checkCells = (cells: Cells) =>
    attempt(async () => {
      if (!table || !checked || !read) return;
      const { targets } = checked;
      const made = table.made ?? new Set();
      const named = renamed(checked, cells, made, read.description);
      if (named.size === 0) return check({ sheet: checked.sheet, made }, targets, cells);
      // An identifier that was made here follows the name.
      const sheet = withCells(withoutIdentifiers(checked.sheet, targets, named), cells);
      const filled = await withIdentifiers(collection, read.description, making.prefix, { sheet, targets });
      await check({ sheet: filled.sheet, made }, targets, cells);
    });
  // Cells that were typed and left for another view, or a reload, before their check had an answer.
  const isReady = kept.isRead && read !== undefined;
  useEffect(() => {
    if (isReady && step === 'rows' && checked && !isEqual(checked.cells, cells)) checkCells(cells);
  }, [isReady]);
  const good = checked?.verdicts.filter(({ outcome }) => outcome === 'new' || outcome === 'changed') ?? [];
  const refused = checked?.verdicts.filter(({ outcome }) => outcome === 'refused') ?? [];
  const same = checked?.verdicts.filter(({ outcome }) => outcome === 'unchanged').length ?? 0;
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
      const left = [...refused, ...late].toSorted((a, b) => a.row - b.row);
      if (table)
        kept.change({ ...table, checked: { ...checked, sheet: { ...sheet, rows: left }, verdicts: left } });
      note({ step: 'result', submitted: result.stored });
      if (left.length === 0) {
        kept.forget();
        forgetDraft();
      }
      toast(ti('submitted', { n: result.stored }));
    });
  // What was stored of rows whose answer was lost is unchanged by another check.
  useEffect(() => {
    if (again !== 'due') return;
    setAgain('checked');
    checkCells(cells);
  }, [returned.value]);
  const restart = () => {
    kept.change(undefined);
    note({ step: 'file', targets: [], cells: {}, filter: 'all' });
  };
  const saveRefused = () => {
    if (!checked) return;
    const text = refusedCsv(checked.sheet, refused, ti('problem'));
    saveAs(new Blob([`\ufeff${text}`], { type: 'text/csv' }), `${chosen}.rejected.csv`);
  };
  return {
    classes,
    concrete,
    submissions,
    note,
    kept,
    table,
    checked,
    step,
    chosen,
    described,
    read,
    choose,
    checkRows,
    typed,
    checkCells,
    good,
    refused,
    same,
    submitGood,
    restart,
    saveRefused,
    reading,
    again,
    unread,
    setUnread,
    options,
    targets,
    making,
    cells,
    filter,
    batch,
    message,
    submitted,
    busy,
    error,
  };
}

export type ImportWork = ReturnType<typeof useImport>;

/** The rows whose identifier was made here, and whose name was typed since. */
function renamed(
  { targets, cells: before }: CheckedTable,
  cells: Cells,
  made: ReadonlySet<number>,
  description: ClassDescription,
): ReadonlySet<number> {
  const nameAt = targets.indexOf(titleSlot(description)?.name ?? '');
  const isTyped = (row: number) => cells[cellKey(row, nameAt)] !== before[cellKey(row, nameAt)];
  return new Set([...made].filter(isTyped));
}
