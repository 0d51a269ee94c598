/** The record of a form as JSON: to read, to edit, or as the difference to what is stored. */
import { useState } from 'preact/hooks';
import { pathOf, type RecordForm } from '../form/record-form.tsx';
import { Copy } from '../shared/copy.tsx';
import { Icon } from '../shared/icons.tsx';
import { isObject, type JsonObject, parseJson } from '../shared/json.ts';
import { Marked } from '../shared/marks.tsx';
import { SideSheet } from '../shared/sheet.tsx';
import { clockTime } from '../shared/time.ts';
import { t } from '../texts/texts.ts';
import { jsonPieces } from './json-pieces.ts';

export function JsonSheet({
  form,
  stored,
  onClose,
}: {
  form: RecordForm;
  stored: JsonObject | undefined;
  onClose: () => void;
}) {
  const [view, setView] = useState<'record' | 'difference'>('record');
  const [draft, setDraft] = useState<string>();
  const [bad, setBad] = useState('');
  const text = JSON.stringify(form.record, null, 2);
  const faults = new Set(form.problems.map((problem) => pathOf(problem).join('/')));
  const apply = (next: string) => {
    setDraft(next);
    try {
      const value = parseJson(next);
      if (!isObject(value)) throw new Error(t('json.object'));
      setBad('');
      form.replace(value);
    } catch (error) {
      setBad((error as Error).message);
    }
  };
  return (
    <SideSheet
      label="JSON"
      bar={
        <>
          <h2>JSON</h2>
          <span class="push" />
          {stored && (
            <span class="seg">
              <button type="button" aria-pressed={view === 'record'} onClick={() => setView('record')}>
                {t('json.record')}
              </button>
              <button
                type="button"
                aria-pressed={view === 'difference'}
                onClick={() => setView('difference')}
              >
                {t('json.difference')}
              </button>
            </span>
          )}
          <Copy text={text} label={t('action.copy')} />
          <button type="button" class="icon" aria-label={t('action.close')} onClick={onClose}>
            <Icon name="close" />
          </button>
        </>
      }
      foot={
        <div class="foot">
          <span aria-live="polite">
            {bad || (form.checkedAt ? t('json.checked', { time: clockTime(form.checkedAt) }) : '')}
          </span>
        </div>
      }
    >
      {view === 'difference' && stored ? (
        <pre class="code">
          <Marked before={JSON.stringify(stored, null, 2)} after={text} />
        </pre>
      ) : (
        <div class="json-layers">
          <pre class="code" aria-hidden="true">
            {(draft ?? text) === text
              ? jsonPieces(form.record, faults).map(({ text: part, isFault }) =>
                  isFault ? <mark class="fault">{part}</mark> : part,
                )
              : draft}
          </pre>
          <textarea
            class="code"
            aria-label={t('json.edit')}
            aria-invalid={bad !== '' || form.problems.length > 0}
            spellcheck={false}
            value={draft ?? text}
            onInput={(event) => apply(event.currentTarget.value)}
            onBlur={() => bad === '' && setDraft(undefined)}
          />
        </div>
      )}
    </SideSheet>
  );
}
