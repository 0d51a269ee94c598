/** Creates a record that is referred to, without leaving the form. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { Dialog } from '../shared/dialog.tsx';
import type { JsonObject } from '../shared/json.ts';
import { useKept } from '../shared/kept.ts';
import { useLoad } from '../shared/load.ts';
import { type ClassDescription, type Range, readClass } from '../shared/schema.ts';
import { submit } from '../shared/submit.ts';
import { t } from '../texts/texts.ts';
import { FormFailure } from './form-failure.tsx';
import { newRecord } from './new-record.ts';
import { RecordFields, useRecordForm } from './record-form.tsx';

type Props = {
  collection: string;
  range: Extract<Range, { kind: 'class' }>;
  name: string;
  onClose: () => void;
  onCreated: (pid: string) => void;
};

export function CreateDialog(props: Props) {
  const [className, setClassName] = useState(props.range.class);
  const { value } = useLoad(`${props.collection}/${className}`, async () => {
    const description = await readClass(props.collection, className);
    return { description, record: await newRecord(props.collection, description, props.name) };
  });
  return value?.description.class === className ? (
    <CreateForm key={className} {...props} {...value} choose={setClassName} />
  ) : null;
}

function CreateForm({
  collection,
  range,
  name,
  description,
  record,
  choose,
  onClose,
  onCreated,
}: Props & { description: ClassDescription; record: JsonObject; choose: (name: string) => void }) {
  const [busy, setBusy] = useState(false);
  const [kept, keep, forget] = useKept<JsonObject>(
    `create/${collection}/${description.class}/${name}`,
    record,
  );
  const form = useRecordForm({ collection, className: description.class, initial: kept });
  useLayoutEffect(() => keep(form.record), [form.record]);
  const create = async () => {
    setBusy(true);
    const stored = await form.attempt(() =>
      submit(collection, description.class, form.record, { isNew: true }),
    );
    setBusy(false);
    if (!stored) return;
    forget();
    onCreated(String(form.record.pid));
  };
  return (
    <Dialog
      wide
      busy={busy}
      title={t('form.createTitle', { noun: description.title ?? description.class })}
      confirm={t('form.submit')}
      onConfirm={create}
      onClose={onClose}
    >
      {range.classes.length > 1 && (
        <div class="field">
          <label for="create-class">{t('form.class')}</label>
          <select
            class="input"
            id="create-class"
            value={description.class}
            onChange={(event) => choose(event.currentTarget.value)}
          >
            {range.classes.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
      )}
      <FormFailure form={form} isNew />
      <RecordFields form={form} description={description} requiredOnly />
    </Dialog>
  );
}
