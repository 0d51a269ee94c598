/** A table upload: the service checks each row and reports faults by cell; the good rows are submitted. */

import { useState } from 'preact/hooks';
import type { ClientError, TableResult } from '../../src/client/client.ts';
import type { ViewProps } from '../shared/context.ts';
import { useLoad } from '../shared/load.ts';
import { ErrorNote } from '../shared/notes.tsx';
import { urlOf } from '../shared/router.ts';
import { readClasses, usualClass } from '../shared/schema.ts';
import { lab } from '../shared/service.ts';
import { MainSheet, Sheets } from '../shared/sheet.tsx';
import { StateMark } from '../shared/state.tsx';
import { afterWrite } from '../shared/submit.ts';
import { toast } from '../shared/toast.tsx';
import { t } from '../texts/texts.ts';
import { FaultTable } from './fault-table.tsx';
import { TemplateButtons } from './template-buttons.tsx';

export function Upload({ collection }: ViewProps) {
  const classes = useLoad(collection, (signal) => readClasses(collection, signal));
  const concrete = classes.value?.filter(({ abstract }) => !abstract) ?? [];
  const [className, setClassName] = useState('');
  const chosen = className || usualClass(concrete) || '';
  const [file, setFile] = useState<File>();
  const [busy, setBusy] = useState(false);
  const [checked, setChecked] = useState<TableResult>();
  const [submitted, setSubmitted] = useState<TableResult>();
  const [error, setError] = useState<ClientError>();
  const restart = () => {
    setChecked(undefined);
    setSubmitted(undefined);
    setError(undefined);
  };
  const send = async (of: string, table: File, dryRun: boolean) => {
    setBusy(true);
    setError(undefined);
    try {
      return await lab(collection).putTable(of, table, { dryRun });
    } catch (problem) {
      setError(problem as ClientError);
      return undefined;
    } finally {
      setBusy(false);
    }
  };
  const check = async (of: string, table: File | undefined) => {
    restart();
    if (table) setChecked(await send(of, table, true));
  };
  const submitGood = async () => {
    const result = file && (await send(chosen, file, false));
    if (!result) return;
    afterWrite();
    setSubmitted(result);
    toast(t('upload.submitted', { n: result.stored }));
  };
  const result = submitted ?? checked;
  return (
    <Sheets>
      <MainSheet
        title={t('browse.upload')}
        crumbs={[{ text: collection, href: urlOf([collection, 'browse']) }]}
        actions={
          checked &&
          !submitted && (
            <button
              type="button"
              class="btn primary"
              disabled={busy || checked.stored === 0}
              onClick={submitGood}
            >
              {t('upload.submit', { n: checked.stored })}
            </button>
          )
        }
      >
        <div class="page wide">
          <div class="form">
            <div class="two-up">
              <div class="field">
                <label for="upload-class">{t('form.class')}</label>
                <select
                  class="input"
                  id="upload-class"
                  value={chosen}
                  onChange={(event) => {
                    setClassName(event.currentTarget.value);
                    check(event.currentTarget.value, file);
                  }}
                >
                  {concrete.map((one) => (
                    <option key={one.class} value={one.class}>
                      {one.title ?? one.class}
                    </option>
                  ))}
                </select>
              </div>
              <div class="field">
                <label for="upload-file">{t('upload.file')}</label>
                <input
                  class="input file"
                  id="upload-file"
                  type="file"
                  accept=".csv,.tsv,.txt,.xlsx,text/csv"
                  onChange={(event) => {
                    const [table] = event.currentTarget.files ?? [];
                    setFile(table);
                    check(chosen, table);
                  }}
                />
              </div>
            </div>
            {!result && <p class="muted">{t('upload.help')}</p>}
            <TemplateButtons collection={collection} className={chosen} />
          </div>
          <div class="upload-end" aria-live="polite">
            {busy && <p class="muted">{t('upload.busy')}</p>}
            {error && <ErrorNote error={error} />}
            {result && (
              <div class={result.refused > 0 ? 'note st-rejected' : 'note st-new'}>
                <StateMark name={result.refused > 0 ? 'rejected' : 'accepted'} />
                <div>
                  <p class="strong">
                    {t(submitted ? 'upload.done' : 'upload.result', {
                      good: result.stored,
                      bad: result.refused,
                    })}
                  </p>
                  {result.removed > 0 && <p>{t('upload.removedCount', { n: result.removed })}</p>}
                  {submitted && <a href={urlOf([collection, 'submissions'])}>{t('rail.submissions')}</a>}
                </div>
              </div>
            )}
          </div>
          {result && result.faults.length > 0 && (
            <FaultTable title={t('upload.problems')} faults={result.faults} />
          )}
          {result && result.removed > 0 && (
            <FaultTable
              title={t(submitted ? 'upload.removed' : 'upload.removes')}
              faults={result.removals.map((one) => ({ ...one, type: '', message: t('upload.removal') }))}
            />
          )}
        </div>
      </MainSheet>
    </Sheets>
  );
}
