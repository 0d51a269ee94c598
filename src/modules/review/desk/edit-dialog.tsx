/** The result of a review as a form: its content is accepted. */

import { useLayoutEffect } from 'preact/hooks';
import { idOf } from '../../../../ui/form/field.tsx';
import { RecordFields, useRecordForm } from '../../../../ui/form/record-form.tsx';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { isEqual, type JsonObject } from '../../../../ui/shared/json.ts';
import { useKept } from '../../../../ui/shared/kept.ts';
import { KeptNote } from '../../../../ui/shared/kept-note.tsx';
import { type ClassDescription, readingOrder } from '../../../../ui/shared/schema.ts';
import { ClientError } from '../../../../ui/shared/service.ts';
import { validate } from '../../../../ui/shared/submit.ts';
import { tr } from './texts.ts';

type Props = {
  collection: string;
  description: ClassDescription;
  record: JsonObject | undefined;
  /** The name that edits are kept under until they are accepted. */
  name: string;
  /** The slot whose field gets the focus. */
  slot?: string | undefined;
  problems: string;
  onAccept: (record: JsonObject) => void;
  onClose: () => void;
};

export function EditDialog(props: Props) {
  if (props.record) return <EditForm {...props} record={props.record} />;
  return (
    <Dialog title={tr('keys.asForm')} onClose={props.onClose}>
      <p>{tr('review.cannotEdit')}</p>
    </Dialog>
  );
}

function EditForm({
  collection,
  description,
  record,
  name,
  slot,
  problems,
  onAccept,
  onClose,
}: Props & { record: JsonObject }) {
  const [kept, keep] = useKept<JsonObject>(name, record);
  const form = useRecordForm({ collection, className: description.class, initial: kept, stored: record });
  useLayoutEffect(() => keep(form.record), [form.record]);
  const first = slot ?? readingOrder(description)[0]?.name;
  const accept = async () => {
    const valid = await form.attempt(async () => {
      try {
        await validate(collection, description.class, form.record);
      } catch (error) {
        const isForOthers = error instanceof ClientError && error.status === 403;
        if (!isForOthers) throw error;
      }
    });
    if (valid) onAccept(form.record);
  };
  return (
    <Dialog
      wide
      busy={form.busy}
      title={tr('keys.asForm')}
      focus={first === undefined ? undefined : idOf([first])}
      confirm={tr('review.acceptEdited')}
      onConfirm={accept}
      onClose={onClose}
    >
      <KeptNote isChanged={!isEqual(form.record, record)} onDiscard={() => form.replace(record)} />
      {problems !== '' && <p class="note st-diverged">{tr('review.editConflicts', { slots: problems })}</p>}
      <RecordFields form={form} description={description} />
    </Dialog>
  );
}
