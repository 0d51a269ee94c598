/** The import of a table: the file, its columns, its rows and what they change, the result. */
import { useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { helpOf } from '../../../../ui/form/field.tsx';
import { identifierPrefix } from '../../../../ui/form/new-record.ts';
import { useAction } from '../../../../ui/shared/action.ts';
import { isUnknown, returned } from '../../../../ui/shared/connection.ts';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { isEqual } from '../../../../ui/shared/json.ts';
import { useKept } from '../../../../ui/shared/kept.ts';
import { useKeptData } from '../../../../ui/shared/kept-data.ts';
import { useLoad } from '../../../../ui/shared/load.ts';
import { ErrorNote, Loading } from '../../../../ui/shared/notes.tsx';
import { urlOf } from '../../../../ui/shared/router.ts';
import {
  type ClassDescription,
  readClass,
  readClasses,
  slotTitle,
  titleSlot,
  usualClass,
} from '../../../../ui/shared/schema.ts';
import { lab, saveAs } from '../../../../ui/shared/service.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { StateMark } from '../../../../ui/shared/state.tsx';
import { Submissions } from '../../../../ui/shared/submission-urls.ts';
import { afterWrite } from '../../../../ui/shared/submit.ts';
import { size } from '../../../../ui/shared/time.ts';
import { toast } from '../../../../ui/shared/toast.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import { type TableOptions, type TableResult, tables } from '../client.ts';
import { csvRow, readCsv } from '../csv.ts';
import { type Choice, ColumnsStep, type IdentifierOptions, problemOfTargets } from './columns-step.tsx';
import { FileStep } from './file-step.tsx';
import { withIdentifiers, withoutIdentifiers } from './identifiers.ts';
import { readFile, UnreadFile } from './read-file.ts';
import { ofFile, ofRows, type ReadOptions } from './read-options.tsx';
import { RowsStep } from './rows-step.tsx';
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

const STEPS = ['file', 'columns', 'rows', 'result'] as const;
type Step = (typeof STEPS)[number];

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
type Reading = { readonly file: File; readonly cancel: () => void };

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

export function Import({ collection }: ViewProps) {
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
  const titleOf = (slot: string) => read?.choices.find((one) => one.slot === slot)?.title ?? slot;
  const problem = read && problemOfTargets(targets, read.choices);
  return (
    <Sheets>
      <MainSheet
        title={ti('title')}
        crumbs={[{ text: collection, href: urlOf([collection, 'browse']) }]}
        actions={
          <>
            {step !== 'file' && (
              <button type="button" class="btn" onClick={restart}>
                {ti('again')}
              </button>
            )}
            {step === 'columns' && (
              <button
                type="button"
                class="btn primary"
                disabled={busy || !read || problem !== undefined || read.sheet.rows.length === 0}
                onClick={checkRows}
              >
                {ti('check')}
              </button>
            )}
            {step === 'rows' && (
              <button
                type="button"
                class="btn primary"
                disabled={busy || good.length === 0}
                onClick={submitGood}
              >
                {ti('submit', { n: good.length })}
              </button>
            )}
          </>
        }
      >
        <div class="page wide">
          <Steps step={step} />
          <div aria-live="polite">
            {reading ? <ReadingNote {...reading} /> : busy && <p class="muted">{ti('busy')}</p>}
            {error && <ErrorNote error={error} />}
            {again === 'checked' && !busy && !error && <p class="note st-diverged">{ti('checkedAgain')}</p>}
            {kept.isLost && <p class="note st-rejected">{ti('notKept')}</p>}
          </div>
          {step === 'file' && (classes.error || !classes.value || !kept.isRead) && (
            <Loading error={classes.error} retry={classes.reload} />
          )}
          {(step === 'columns' || step === 'rows') && !read && (
            <Loading error={described.error} retry={described.reload} />
          )}
          {step === 'file' && classes.value && kept.isRead && (
            <FileStep
              collection={collection}
              classes={concrete}
              className={chosen}
              onClass={(className) => note({ className })}
              options={options}
              onOptions={(options) => note({ options: withoutUndefined(options) })}
              onFile={choose}
              problem={unread}
              onProblem={setUnread}
            />
          )}
          {step === 'columns' && read && (
            <>
              {read.sheet.rows.length === 0 && <p class="note st-rejected">{ti('emptyTable')}</p>}
              <ColumnsStep
                sheet={read.sheet}
                targets={targets}
                choices={read.choices}
                onTargets={(targets) => note({ targets: [...targets] })}
                making={making}
                onMaking={(making) => note({ making })}
              />
            </>
          )}
          {step === 'rows' && read && checked && (
            <>
              <div class="form">
                <div class="two-up">
                  <Words
                    id="import-batch"
                    label={ti('batch')}
                    help={ti('batchHelp')}
                    value={batch}
                    onValue={(batch) => note({ batch })}
                  />
                  <Words
                    id="import-message"
                    label={ti('message')}
                    help={ti('messageHelp')}
                    value={message}
                    onValue={(message) => note({ message })}
                  />
                </div>
              </div>
              <p class="btns">
                <button type="button" class="btn small" onClick={() => note({ step: 'columns' })}>
                  {ti('back')}
                </button>
                {refused.length > 0 && (
                  <button type="button" class="btn small" onClick={saveRefused}>
                    {ti('rejected')}
                  </button>
                )}
                {same > 0 && <span class="muted small">{ti('same_', { n: same })}</span>}
              </p>
              <RowsStep
                verdicts={checked.verdicts}
                targets={checked.targets}
                titleOf={titleOf}
                helpOf={(slot) => {
                  const described = read.description.slots.find(({ name }) => name === slot);
                  return described && helpOf(described);
                }}
                referencesOf={(slot) => {
                  const kind = read.choices.find((one) => one.slot === slot)?.kind;
                  return kind?.kind === 'class' ? kind.class : undefined;
                }}
                collection={collection}
                nameSlot={titleSlot(read.description)?.name}
                made={table?.made ?? new Set()}
                cells={cells}
                onType={(row, index, text) => note({ cells: typed(row, index, text) })}
                onCell={(row, index, text) => checkCells(typed(row, index, text))}
                filter={filter}
                onFilter={(filter) => note({ filter })}
              />
            </>
          )}
          {step === 'result' && (
            <div class={refused.length > 0 ? 'note st-diverged' : 'note st-new'}>
              <StateMark name="accepted" />
              <div>
                <p class="strong">{ti('submitted', { n: submitted })}</p>
                {refused.length > 0 && <p>{ti('problems', { n: refused.length })}</p>}
                <p class="btns">
                  <a
                    class="btn primary"
                    href={submissions?.own(collection, batch) ?? urlOf([collection, 'browse', chosen])}
                  >
                    {submissions?.title() ?? t('rail.browse')}
                  </a>
                  {refused.length > 0 && (
                    <>
                      <button type="button" class="btn" onClick={() => note({ step: 'rows' })}>
                        {ti('toRows')}
                      </button>
                      <button type="button" class="btn" onClick={saveRefused}>
                        {ti('rejected')}
                      </button>
                    </>
                  )}
                </p>
              </div>
            </div>
          )}
        </div>
      </MainSheet>
    </Sheets>
  );
}

/** Removes options that are not set: JSON has no such values. */
function withoutUndefined(options: ReadOptions): ReadOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** The steps, and which one it is. Its heading gets the focus when the step changes. */
function Steps({ step }: { step: Step }) {
  const heading = useRef<HTMLHeadingElement>(null);
  const last = useRef(step);
  useLayoutEffect(() => {
    if (last.current !== step) heading.current?.focus();
    last.current = step;
  }, [step]);
  return (
    <>
      <ol class="import-steps" aria-label={ti('steps')}>
        {STEPS.map((name) => (
          <li key={name} aria-current={name === step ? 'step' : undefined}>
            {ti(name)}
          </li>
        ))}
      </ol>
      <h2 class="vh" tabIndex={-1} ref={heading}>
        {ti(step)}
      </h2>
    </>
  );
}

function Words(props: {
  id: string;
  label: string;
  help: string;
  value: string;
  onValue: (text: string) => void;
}) {
  const { id, label, help, value, onValue } = props;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        class="input"
        id={id}
        value={value}
        aria-describedby={`${id}-help`}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <p class="help" id={`${id}-help`}>
        {help}
      </p>
    </div>
  );
}

/** The file that is read, and a way to stop it. How far a workbook is read is known at its end only. */
function ReadingNote({ file, cancel }: Reading) {
  const text = ti('reading', { name: file.name, size: size(file.size) });
  return (
    <div class="note">
      <div>
        <p>{text}</p>
        <progress class="progress" aria-label={text} />
        <p class="btns">
          <button type="button" class="btn small" onClick={cancel}>
            {t('action.cancel')}
          </button>
        </p>
      </div>
    </div>
  );
}

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

/** The slots that columns can go to: those of the empty table of the class, by their titles. */
async function choicesOf(collection: string, className: string): Promise<Choice[]> {
  const [description, template] = await Promise.all([
    readClass(collection, className),
    lab(collection).use(tables).template(className, 'csv'),
  ]);
  const [header = []] = readCsv(await template.text());
  const choices = header.map(async (text) => {
    const required = text.endsWith('*');
    const slot = required ? text.slice(0, -1) : text;
    const [first = '', ...rest] = slot.split('.');
    const known = description.slots.find(({ name }) => name === first);
    const words = rest.map((part) => part.replaceAll('_', ' '));
    const title = [known ? slotTitle(known) : first, ...words].join(', ');
    return { slot, required, title, kind: await kindAt(collection, description, [first, ...rest]) };
  });
  return Promise.all(choices);
}

/** The kind of the range at the end of a path of slots. */
async function kindAt(
  collection: string,
  { slots }: ClassDescription,
  [first = '', ...rest]: readonly string[],
): Promise<Kind> {
  const range = slots.find(({ name }) => name === first)?.range ?? { kind: 'any' };
  if (rest.length === 0) return range;
  return range.kind === 'class'
    ? kindAt(collection, await readClass(collection, range.class), rest)
    : { kind: 'any' };
}
