/** The import of a table: the file, its columns, its rows and what they change, the result. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { TableOptions, TableResult } from '../../../src/client/client.ts';
import { readCsv } from '../../../src/tables/csv.ts';
import { helpOf } from '../../form/field.tsx';
import { identifierPrefix } from '../../form/new-record.ts';
import { useAction } from '../../shared/action.ts';
import type { ViewProps } from '../../shared/context.ts';
import { useLoad } from '../../shared/load.ts';
import { ErrorNote, Loading } from '../../shared/notes.tsx';
import { urlOf } from '../../shared/router.ts';
import {
  type ClassDescription,
  readClass,
  readClasses,
  slotTitle,
  titleSlot,
  usualClass,
} from '../../shared/schema.ts';
import { lab, saveAs } from '../../shared/service.ts';
import { MainSheet, Sheets } from '../../shared/sheet.tsx';
import { StateMark } from '../../shared/state.tsx';
import { afterWrite } from '../../shared/submit.ts';
import { toast } from '../../shared/toast.tsx';
import { t } from '../../texts/texts.ts';
import { type Choice, ColumnsStep, type Making, problemOfTargets } from './columns-step.tsx';
import { FileStep } from './file-step.tsx';
import { withIdentifiers } from './identifiers.ts';
import { ofRows, type ReadOptions } from './read-options.tsx';
import { RowsStep } from './rows-step.tsx';
import {
  csvOf,
  refusedCsv,
  type Sheet,
  sendable,
  sheetOf,
  type Targets,
  type Verdict,
  verdictsOf,
  withCell,
} from './sheet.ts';
import { ti } from './texts.ts';

const STEPS = ['file', 'columns', 'rows', 'result'] as const;
type Step = (typeof STEPS)[number];

/** The contents of a file that was read. */
type Read = {
  readonly description: ClassDescription;
  readonly choices: readonly Choice[];
  readonly sheet: Sheet;
  readonly targets: Targets;
};
/** The verdicts of the service about all rows. */
type Checked = { readonly sheet: Sheet; readonly targets: Targets; readonly verdicts: readonly Verdict[] };

export function Import({ collection }: ViewProps) {
  const classes = useLoad(collection, (signal) => readClasses(collection, signal));
  const concrete = classes.value?.filter(({ abstract }) => !abstract) ?? [];
  const [className, setClassName] = useState('');
  const chosen = className || usualClass(concrete) || '';
  const [step, setStep] = useState<Step>('file');
  const [options, setOptions] = useState<ReadOptions>({});
  const [read, setRead] = useState<Read>();
  const [making, setMaking] = useState<Making>({ make: true, prefix: '' });
  const [made, setMade] = useState<ReadonlySet<number>>(new Set());
  const [checked, setChecked] = useState<Checked>();
  const [filter, setFilter] = useState<Verdict['outcome'] | 'all'>('all');
  const [batch, setBatch] = useState('');
  const [message, setMessage] = useState('');
  const [submitted, setSubmitted] = useState(0);
  const { busy, error, run: attempt } = useAction((work: () => Promise<void>) => work());
  const readFile = (table: Blob) =>
    attempt(async () => {
      const [result, description, choices, prefix] = await Promise.all([
        send(table, { ...options, dryRun: true }),
        readClass(collection, chosen),
        choicesOf(collection, chosen),
        readClass(collection, chosen).then((one) => identifierPrefix(collection, one)),
      ]);
      setRead({ description, choices, ...sheetOf(result) });
      setMaking({ make: true, prefix });
      setStep('columns');
    });
  const send = (table: Blob | string, more: TableOptions) =>
    lab(collection).putTable(chosen, table, { details: true, ...ofRows(options), ...more });
  const check = async (sheet: Sheet, targets: Targets): Promise<Verdict[]> => {
    const rows = sendable(sheet, targets);
    const none: TableResult = {
      rows: 0,
      stored: 0,
      unchanged: 0,
      refused: 0,
      faults: [],
      removed: 0,
      removals: [],
    };
    const result = rows.length === 0 ? none : await send(csvOf(targets, rows), { dryRun: true });
    const verdicts = verdictsOf(sheet, targets, rows, result);
    setChecked({ sheet, targets, verdicts });
    return verdicts;
  };
  const checkRows = () =>
    attempt(async () => {
      if (!read) return;
      const { sheet, targets, description } = read;
      const filled =
        making.make && (await withIdentifiers(collection, description, making.prefix, { sheet, targets }));
      setMade(filled ? filled.made : new Set());
      await check(filled ? filled.sheet : sheet, filled ? filled.targets : targets);
      setFilter('all');
      setStep('rows');
    });
  const mend = (row: number, index: number, text: string) =>
    attempt(async () => {
      if (checked) await check(withCell(checked.sheet, row, index, text), checked.targets);
    });
  const good = checked?.verdicts.filter(({ outcome }) => outcome === 'new' || outcome === 'changed') ?? [];
  const refused = checked?.verdicts.filter(({ outcome }) => outcome === 'refused') ?? [];
  const same = checked?.verdicts.filter(({ outcome }) => outcome === 'unchanged').length ?? 0;
  const submitGood = () =>
    attempt(async () => {
      if (!checked) return;
      const { sheet, targets } = checked;
      const result = await send(csvOf(targets, good), {
        ...(batch !== '' && { batch }),
        ...(message !== '' && { message }),
      });
      afterWrite();
      setSubmitted(result.stored);
      // A row that was refused meanwhile stays with the others that were.
      const late = verdictsOf({ ...sheet, rows: good }, targets, good, result).filter(
        ({ outcome }) => outcome === 'refused',
      );
      const left = [...refused, ...late].toSorted((a, b) => a.row - b.row);
      setChecked({ sheet: { ...sheet, rows: left }, targets, verdicts: left });
      setStep('result');
      toast(ti('submitted', { n: result.stored }));
    });
  const restart = () => {
    setRead(undefined);
    setChecked(undefined);
    setStep('file');
  };
  const saveRefused = () => {
    if (!checked) return;
    const text = refusedCsv(checked.sheet, refused, ti('problem'));
    saveAs(new Blob([`\ufeff${text}`], { type: 'text/csv' }), `${chosen}.rejected.csv`);
  };
  const titleOf = (slot: string) => read?.choices.find((one) => one.slot === slot)?.title ?? slot;
  const problem = read && problemOfTargets(read.targets, read.choices);
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
                disabled={busy || problem !== undefined || read?.sheet.rows.length === 0}
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
            {busy && <p class="muted">{ti('busy')}</p>}
            {error && <ErrorNote error={error} />}
          </div>
          {step === 'file' && (classes.error || !classes.value) && (
            <Loading error={classes.error} retry={classes.reload} />
          )}
          {step === 'file' && classes.value && (
            <FileStep
              collection={collection}
              classes={concrete}
              className={chosen}
              onClass={setClassName}
              options={options}
              onOptions={setOptions}
              onFile={readFile}
            />
          )}
          {step === 'columns' && read && (
            <>
              {read.sheet.rows.length === 0 && <p class="note st-rejected">{ti('emptyTable')}</p>}
              <ColumnsStep
                sheet={read.sheet}
                targets={read.targets}
                choices={read.choices}
                onTargets={(targets) => setRead({ ...read, targets })}
                making={making}
                onMaking={setMaking}
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
                    onValue={setBatch}
                  />
                  <Words
                    id="import-message"
                    label={ti('message')}
                    help={ti('messageHelp')}
                    value={message}
                    onValue={setMessage}
                  />
                </div>
              </div>
              <p class="btns">
                <button type="button" class="btn small" onClick={() => setStep('columns')}>
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
                nameSlot={titleSlot(read.description)?.name}
                made={made}
                onCell={mend}
                filter={filter}
                onFilter={setFilter}
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
                  <a class="btn primary" href={urlOf([collection, 'submissions'], { batch })}>
                    {t('rail.submissions')}
                  </a>
                  {refused.length > 0 && (
                    <>
                      <button type="button" class="btn" onClick={() => setStep('rows')}>
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

/** The slots that columns can go to: those of the empty table of the class, by their titles. */
async function choicesOf(collection: string, className: string): Promise<Choice[]> {
  const [description, template] = await Promise.all([
    readClass(collection, className),
    lab(collection).template(className, 'csv'),
  ]);
  const [header = []] = readCsv(await template.text());
  return header.map((text) => {
    const required = text.endsWith('*');
    const slot = required ? text.slice(0, -1) : text;
    const [first = '', ...rest] = slot.split('.');
    const known = description.slots.find(({ name }) => name === first);
    const words = rest.map((part) => part.replaceAll('_', ' '));
    return { slot, required, title: [known ? slotTitle(known) : first, ...words].join(', ') };
  });
}
