/** The import of a table: the file, its columns, its rows and what they change, the result. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { helpOf } from '../../../../ui/form/field.tsx';
import type { ViewProps } from '../../../../ui/shared/context.ts';
import { ErrorNote, Loading } from '../../../../ui/shared/notes.tsx';
import { urlOf } from '../../../../ui/shared/router.ts';
import { titleSlot } from '../../../../ui/shared/schema.ts';
import { MainSheet, Sheets } from '../../../../ui/shared/sheet.tsx';
import { StateMark } from '../../../../ui/shared/state.tsx';
import { size } from '../../../../ui/shared/time.ts';
import { t } from '../../../../ui/texts/texts.ts';
import { ColumnsStep, problemOfTargets } from './columns-step.tsx';
import { FileStep } from './file-step.tsx';
import { STEPS, type Step } from './import-draft.ts';
import type { ReadOptions } from './read-options.tsx';
import { RowsStep } from './rows-step.tsx';
import { ti } from './texts.ts';
import type { Reading } from './use-file.ts';
import { type ImportWork, useImport } from './use-import.ts';

export function Import({ collection }: ViewProps) {
  const work = useImport(collection);
  const {
    classes,
    concrete,
    note,
    kept,
    checked,
    step,
    chosen,
    described,
    read,
    choose,
    reading,
    again,
    unread,
    setUnread,
    options,
    targets,
    making,
    busy,
    error,
  } = work;
  return (
    <Sheets>
      <MainSheet
        title={ti('title')}
        crumbs={[{ text: collection, href: urlOf([collection, 'browse']) }]}
        actions={<ImportActions work={work} />}
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
          {step === 'rows' && read && checked && <RowsPart {...{ collection, work, read, checked }} />}
          {step === 'result' && <Result collection={collection} work={work} />}
        </div>
      </MainSheet>
    </Sheets>
  );
}

/** The buttons that lead from step to step. */
function ImportActions({ work }: { work: ImportWork }) {
  const { step, read, checkRows, good, submitGood, restart, targets, busy } = work;
  const problem = read && problemOfTargets(targets, read.choices);
  return (
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
        <button type="button" class="btn primary" disabled={busy || good.length === 0} onClick={submitGood}>
          {ti('submit', { n: good.length })}
        </button>
      )}
    </>
  );
}

/** What each row does, and the words that are sent with all of them. */
function RowsPart({
  collection,
  work,
  read,
  checked,
}: {
  collection: string;
  work: ImportWork;
  read: NonNullable<ImportWork['read']>;
  checked: NonNullable<ImportWork['checked']>;
}) {
  const { note, table, typed, checkCells, refused, same, saveRefused, cells, filter, batch, message } = work;
  const titleOf = (slot: string) => read.choices.find((one) => one.slot === slot)?.title ?? slot;
  return (
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
  );
}

/** How many rows were submitted, and what becomes of the others. */
function Result({ collection, work }: { collection: string; work: ImportWork }) {
  const { submissions, note, chosen, refused, saveRefused, batch, submitted } = work;
  return (
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
