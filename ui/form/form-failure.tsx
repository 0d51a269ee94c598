/** Why the service has stored nothing of a form, if it is not a problem of the record. */
import { useState } from 'preact/hooks';
import { away, isAway, isUnknown } from '../shared/connection.ts';
import { Icon } from '../shared/icons.tsx';
import { useLoad } from '../shared/load.ts';
import { ErrorNote } from '../shared/notes.tsx';
import { urlOf } from '../shared/router.ts';
import { readTitles } from '../shared/schema.ts';
import { t } from '../texts/texts.ts';
import { idOf } from './field.tsx';
import type { RecordForm } from './record-form.tsx';

export function FormFailure({
  form,
  isNew,
  again,
}: {
  form: RecordForm;
  isNew: boolean;
  /** Stores the record of a form that is kept as a draft. */
  again?: () => void;
}) {
  const { failure, collection } = form;
  if (!failure) return null;
  if (again && isAway(failure.status))
    return <Unsent again={again} busy={form.busy} isLost={isUnknown(failure)} />;
  if (failure.status !== 412)
    return (
      <div id="problems" tabIndex={-1}>
        <ErrorNote error={failure} />
      </div>
    );
  if (isNew) return <Taken collection={collection} pid={String(form.record.pid)} />;
  return (
    <div class="note st-diverged" id="problems" tabIndex={-1} role="alert">
      <Icon name="warning" />
      <div>
        <p class="strong">{t('form.conflict')}</p>
        <p>{t('form.conflictHelp')}</p>
      </div>
    </div>
  );
}

/** The service was away, or its answer was lost: the draft is kept, and sent when it is back and the user wants it. */
function Unsent({ again, busy, isLost }: { again: () => void; busy: boolean; isLost: boolean }) {
  const isBack = away.value === undefined;
  return (
    <div class={`note ${isBack ? 'st-new' : 'st-diverged'}`} id="problems" tabIndex={-1} role="alert">
      <Icon name={isBack ? 'check' : 'warning'} />
      <div>
        <p class="strong">{t(isBack ? 'away.back' : 'error.offline')}</p>
        <p>{t(isLost ? 'away.lost' : 'away.unsent')}</p>
        <p class="btns">
          <button type="button" class="btn" disabled={busy || !isBack} onClick={again}>
            {t('away.send')}
          </button>
        </p>
      </div>
    </div>
  );
}

/** Names the record that has the identifier of a new one. The identifier stays as it was sent while the form is edited. */
function Taken({ collection, pid: sent }: { collection: string; pid: string }) {
  const [pid] = useState(sent);
  const { value: titles } = useLoad(`${collection}/${pid}`, () => readTitles(collection, [pid]));
  const title = titles?.get(pid)?.title;
  return (
    <div class="note st-diverged" id="problems" tabIndex={-1} role="alert">
      <Icon name="warning" />
      <div>
        <p class="strong">{title ? t('form.taken', { pid, title }) : t('form.takenByAnother', { pid })}</p>
        <p>{t('form.takenHelp')}</p>
        <p class="btns">
          <button
            type="button"
            class="btn"
            onClick={(event) =>
              event.currentTarget
                .closest('dialog, main')
                ?.querySelector<HTMLElement>(`#${idOf(['pid'])}`)
                ?.focus()
            }
          >
            {t('form.otherIdentifier')}
          </button>
          {title && (
            <a class="btn" href={urlOf([collection, 'edit'], { pid })}>
              {t('form.editTitle', { title })}
            </a>
          )}
        </p>
      </div>
    </div>
  );
}
