/** The result of a review as a form: its content is accepted. */

import { useState } from 'preact/hooks';
import { RecordFields, useRecordForm } from '../form/record-form.tsx';
import { Dialog } from '../shared/dialog.tsx';
import type { JsonObject } from '../shared/json.ts';
import type { ClassDescription } from '../shared/schema.ts';
import { ClientError } from '../shared/service.ts';
import { validate } from '../shared/submit.ts';
import { t } from '../texts/texts.ts';

type Props = {
  collection: string;
  description: ClassDescription;
  record: JsonObject | undefined;
  problems: string;
  onAccept: (record: JsonObject) => void;
  onClose: () => void;
};

export function EditDialog(props: Props) {
  if (props.record) return <EditForm {...props} record={props.record} />;
  return (
    <Dialog title={t('keys.asForm')} onClose={props.onClose}>
      <p>{t('review.cannotEdit')}</p>
    </Dialog>
  );
}

function EditForm({
  collection,
  description,
  record,
  problems,
  onAccept,
  onClose,
}: Props & { record: JsonObject }) {
  const [busy, setBusy] = useState(false);
  const form = useRecordForm({ collection, className: description.class, initial: record, stored: record });
  const accept = async () => {
    setBusy(true);
    const valid = await form.attempt(async () => {
      try {
        await validate(collection, description.class, form.record);
      } catch (error) {
        const isForOthers = error instanceof ClientError && error.status === 403;
        if (!isForOthers) throw error;
      }
    });
    setBusy(false);
    if (valid) onAccept(form.record);
  };
  return (
    <Dialog
      wide
      busy={busy}
      title={t('keys.asForm')}
      confirm={t('review.acceptEdited')}
      onConfirm={accept}
      onClose={onClose}
    >
      {problems !== '' && <p class="note st-diverged">{t('review.editConflicts', { slots: problems })}</p>}
      <RecordFields form={form} description={description} />
    </Dialog>
  );
}
