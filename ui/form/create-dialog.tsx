/** Creates a record that is referred to, without leaving the form. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { Dialog } from '../shared/dialog.tsx';
import type { JsonObject } from '../shared/json.ts';
import { useKept } from '../shared/kept.ts';
import { useLoad } from '../shared/load.ts';
import { type ClassDescription, type Range, readClass, readClasses, usualClass } from '../shared/schema.ts';
import { SelectField } from '../shared/select-field.tsx';
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
  const [chosen, setClassName] = useState<string>();
  const { range, collection } = props;
  const { value: usual } = useLoad(range.classes.length > 1 ? collection : undefined, async (signal) => {
    const classes = await readClasses(collection, signal);
    return usualClass(classes.filter((one) => range.classes.includes(one.class)));
  });
  const className = chosen ?? (range.classes.length > 1 ? usual : range.class);
  const { value } = useLoad(className && `${collection}/${className}`, async () => {
    const description = await readClass(collection, className!);
    return { description, record: await newRecord(collection, description, props.name) };
  });
  if (!value || value.description.class !== className) return null;
  return <CreateForm key={className} {...props} {...value} choose={setClassName} />;
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
  const [kept, keep, forget] = useKept<JsonObject>(
    `create/${collection}/${description.class}/${name}`,
    record,
  );
  const form = useRecordForm({ collection, className: description.class, initial: kept });
  useLayoutEffect(() => keep(form.record), [form.record]);
  const create = async () => {
    const stored = await form.attempt(() =>
      submit(collection, description.class, form.record, { isNew: true }),
    );
    if (!stored) return;
    forget();
    onCreated(String(form.record.pid));
  };
  return (
    <Dialog
      wide
      busy={form.busy}
      title={t('form.createTitle', { noun: description.title ?? description.class })}
      confirm={t('form.submit')}
      onConfirm={create}
      onClose={onClose}
    >
      {range.classes.length > 1 && (
        <SelectField id="create-class" label={t('form.class')} value={description.class} onChoose={choose}>
          {range.classes.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      <FormFailure form={form} isNew />
      <RecordFields form={form} description={description} requiredOnly />
    </Dialog>
  );
}
