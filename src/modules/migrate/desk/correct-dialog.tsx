/** The form of a record that another schema refuses, with the classes and the checks of that schema. */

import { useLayoutEffect } from 'preact/hooks';
import { idOf } from '../../../../ui/form/field.tsx';
import { FormFailure } from '../../../../ui/form/form-failure.tsx';
import { type FormSchema, RecordFields, useRecordForm } from '../../../../ui/form/record-form.tsx';
import { Dialog } from '../../../../ui/shared/dialog.tsx';
import { isEqual, type JsonObject } from '../../../../ui/shared/json.ts';
import { useKept } from '../../../../ui/shared/kept.ts';
import { KeptNote } from '../../../../ui/shared/kept-note.tsx';
import type { ClassDescription } from '../../../../ui/shared/schema.ts';
import type { RehearsedRecord } from '../client.ts';
import { type Correction, type Corrections, correctedRecord, correctionsTo, draftOf } from './corrections.ts';
import { ts } from './texts.ts';

export function CorrectDialog(props: {
  collection: string;
  item: RehearsedRecord;
  title: string;
  /** The class of the record in that schema. */
  description: ClassDescription;
  schema: FormSchema;
  values: Corrections['values'];
  /** The slot to begin with. */
  begin: string | undefined;
  onCorrect: (corrections: readonly Correction[]) => void;
  onClose: () => void;
}) {
  const { collection, item, title, description, schema, values, begin, onCorrect, onClose } = props;
  const className = description.class;
  const before = correctedRecord(item, values);
  const [kept, keep, forget] = useKept<JsonObject>(
    `correct/${collection}/${item.in}/${item.pid}/${className}`,
    before,
  );
  const form = useRecordForm({ collection, className, initial: kept, stored: draftOf(item), schema });
  useLayoutEffect(() => keep(form.record), [form.record]);
  const confirm = async () => {
    const isRight = await form.attempt(async () => {
      await schema.check(className, form.record);
    });
    if (!isRight) return;
    forget();
    onCorrect(correctionsTo(item, form.record, values));
    onClose();
  };
  // Another identifier would make it another record.
  const fields = { ...description, slots: description.slots.filter(({ identifier }) => !identifier) };
  return (
    <Dialog
      wide
      busy={form.busy}
      title={ts('correctTitle', { title })}
      confirm={ts('correctDone')}
      focus={begin === undefined ? undefined : idOf([begin])}
      onConfirm={confirm}
      onClose={onClose}
    >
      <KeptNote isChanged={!isEqual(form.record, before)} onDiscard={() => form.replace(before)} />
      <FormFailure form={form} isNew={false} />
      <RecordFields form={form} description={fields} />
    </Dialog>
  );
}
