/** A table upload: file, columns, rows with their faults, and the good ones submitted. */
import { useRef, useState } from 'preact/hooks';
import type { ViewProps } from '../app.tsx';
import { type ApiError, ask, type Problem } from '../base/api.ts';
import { parseTable, type Sheet } from '../base/csv.ts';
import type { JsonObject } from '../base/json.ts';
import { useLoad } from '../base/load.ts';
import { go, urlOf } from '../base/router.ts';
import { readClass, readClasses, slotTitle } from '../base/schema.ts';
import { afterWrite } from '../base/submit.ts';
import { fillable, recordOf, slotFor } from '../base/table-records.ts';
import { Icon } from '../parts/icons.tsx';
import { ErrorNote, Progress } from '../parts/notes.tsx';
import { MainSheet, Sheets } from '../parts/sheet.tsx';
import { toast } from '../parts/toast.tsx';
import { UploadRows } from '../parts/upload-rows.tsx';
import { t } from '../texts/texts.ts';

type Result = { status: number; pids?: string[]; detail?: string | Problem[] };
const CHUNK = 100;

export function Upload({ collection }: ViewProps) {
  const classes = useLoad(collection, (signal) => readClasses(collection, signal));
  const concrete = classes.value?.filter(({ abstract }) => !abstract) ?? [];
  const [className, setClassName] = useState('');
  const chosen = className || concrete.find(({ count }) => count > 0)?.class || concrete[0]?.class;
  const { value: description } = useLoad(chosen && `${collection}/${chosen}`, () =>
    readClass(collection, chosen!),
  );
  const [sheet, setSheet] = useState<Sheet>();
  const [file, setFile] = useState('');
  const [override, setMapping] = useState<Readonly<Record<number, string>>>({});
  const [results, setResults] = useState<readonly Result[]>();
  const [progress, setProgress] = useState<{ done: number; verb: 'check' | 'submit' }>();
  const [error, setError] = useState<ApiError>();
  const stopped = useRef(false);
  const slots = description ? fillable(description) : [];
  const mapping = sheet?.columns.map((column, index) => override[index] ?? slotFor(column, slots)) ?? [];
  const records = sheet?.rows.map((row) => recordOf(row, mapping, slots)) ?? [];
  const restart = () => setResults(undefined);
  const read = async (given: File | undefined) => {
    if (!given) return;
    setFile(given.name);
    setSheet(parseTable(await given.text()));
    setMapping({});
    restart();
  };
  const send = async (verb: 'check' | 'submit', items: readonly JsonObject[]): Promise<Result[]> => {
    const path =
      verb === 'check'
        ? ['-', collection, 'validate', 'records', chosen!]
        : ['-', collection, 'records', chosen!];
    const found: Result[] = [];
    stopped.current = false;
    setError(undefined);
    try {
      for (let from = 0; from < items.length && !stopped.current; from += CHUNK) {
        setProgress({ done: from, verb });
        const { value } = await ask<Result[]>(path, {
          method: 'POST',
          body: items.slice(from, from + CHUNK),
          query: verb === 'submit' ? { batch: file.slice(0, 100) || undefined } : {},
        });
        found.push(...value);
      }
    } catch (problem) {
      setError(problem as ApiError);
    }
    setProgress(undefined);
    return found;
  };
  const check = async () => setResults(await send('check', records));
  const good = records.filter((_, index) => results?.[index]?.status === 200);
  const submitGood = async () => {
    const sent = await send('submit', good);
    afterWrite();
    const stored = sent.filter(({ status }) => status === 200).length;
    toast(t('upload.submitted', { n: stored }));
    if (stored === good.length) go(urlOf([collection, 'submissions'], { batch: file.slice(0, 100) }));
  };
  const bad = results?.filter(({ status }) => status !== 200).length ?? 0;
  return (
    <Sheets>
      <MainSheet
        title={t('browse.upload')}
        crumbs={[{ text: collection, href: urlOf([collection, 'browse']) }]}
        actions={
          <>
            {sheet && !results && (
              <button type="button" class="btn primary" disabled={progress !== undefined} onClick={check}>
                {t('upload.check', { n: records.length })}
              </button>
            )}
            {results && (
              <button
                type="button"
                class="btn primary"
                disabled={progress !== undefined || good.length === 0}
                onClick={submitGood}
              >
                {t('upload.submit', { n: good.length })}
              </button>
            )}
          </>
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
                    restart();
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
                  accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values"
                  onChange={(event) => read(event.currentTarget.files?.[0])}
                />
              </div>
            </div>
            {!sheet && <p class="muted">{t('upload.help')}</p>}
          </div>
          {progress && (
            <div class="job" aria-live="polite">
              <p class="small">
                {t(progress.verb === 'check' ? 'upload.checking' : 'upload.submitting', {
                  done: progress.done,
                  total: progress.verb === 'check' ? records.length : good.length,
                })}{' '}
                <button
                  type="button"
                  class="btn small"
                  onClick={() => {
                    stopped.current = true;
                  }}
                >
                  <Icon name="stop" size={14} />
                  {t('action.stop')}
                </button>
              </p>
              <Progress done={progress.done} total={records.length} label={t('browse.upload')} />
            </div>
          )}
          {error && <ErrorNote error={error} />}
          {results && (
            <p class={bad > 0 ? 'note st-rejected' : 'note st-new'} aria-live="polite">
              {t('upload.result', { good: good.length, bad })}
            </p>
          )}
          {sheet && description && (
            <>
              <div class="head">
                <h2>{t('upload.columns')}</h2>
              </div>
              <table class="inner mapping">
                <thead>
                  <tr>
                    <th scope="col">{t('upload.column')}</th>
                    <th scope="col">{t('upload.slot')}</th>
                    <th scope="col">{t('upload.example')}</th>
                  </tr>
                </thead>
                <tbody>
                  {sheet.columns.map((column, index) => (
                    <tr key={index}>
                      <td>
                        <bdi>{column}</bdi>
                      </td>
                      <td>
                        <select
                          class="input"
                          aria-label={t('upload.slotOf', { column })}
                          value={mapping[index]}
                          onChange={(event) => {
                            setMapping({ ...override, [index]: event.currentTarget.value });
                            restart();
                          }}
                        >
                          <option value="">{t('upload.skip')}</option>
                          {slots.map((slot) => (
                            <option key={slot.name} value={slot.name}>
                              {slotTitle(slot)}
                            </option>
                          ))}
                        </select>
                      </td>
                      <td class="muted">
                        <bdi>{sheet.rows[0]?.[index]}</bdi>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
              <div class="head">
                <h2>
                  {t('upload.rows')} <span class="faint">{records.length.toLocaleString()}</span>
                </h2>
              </div>
              <UploadRows sheet={sheet} mapping={mapping} results={results} />
            </>
          )}
        </div>
      </MainSheet>
    </Sheets>
  );
}
