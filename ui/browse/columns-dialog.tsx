/** Chooses the columns of a class. */
import { useState } from 'preact/hooks';
import { Dialog } from '../shared/dialog.tsx';
import { Icon } from '../shared/icons.tsx';
import { type ClassDescription, slotTitle } from '../shared/schema.ts';
import { t } from '../texts/texts.ts';
import { candidates, chooseColumns, columnsOf, shownColumns } from './columns.ts';
import { forgetWidths } from './widths.ts';

export function ColumnsButton({
  collection,
  description,
}: {
  collection: string;
  description: ClassDescription;
}) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="btn quiet" onClick={() => setOpen(true)}>
        <Icon name="columns" />
        {t('browse.columns')}
      </button>
      {open && (
        <ColumnsDialog collection={collection} description={description} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

function ColumnsDialog({
  collection,
  description,
  onClose,
}: {
  collection: string;
  description: ClassDescription;
  onClose: () => void;
}) {
  const [names, setNames] = useState(
    (shownColumns(collection, description) ?? columnsOf(description)).map(({ name }) => name),
  );
  const switchOne = (name: string) =>
    setNames(names.includes(name) ? names.filter((one) => one !== name) : [...names, name]);
  const save = () => {
    chooseColumns(collection, description, names);
    onClose();
  };
  return (
    <Dialog
      title={t('browse.columnsOf', { name: description.title ?? description.class })}
      confirm={t('action.apply')}
      onConfirm={save}
      onClose={onClose}
    >
      <fieldset class="plain-set reasons">
        <legend class="vh">{t('browse.columns')}</legend>
        {candidates(description).map((slot, index) => (
          <label key={slot.name}>
            <input
              type="checkbox"
              checked={names.includes(slot.name)}
              data-first={index === 0 ? '' : undefined}
              onChange={() => switchOne(slot.name)}
            />
            {slotTitle(slot)}
          </label>
        ))}
      </fieldset>
      <p>
        <button
          type="button"
          class="linkish"
          onClick={() => {
            chooseColumns(collection, description, undefined);
            forgetWidths(collection, description);
            onClose();
          }}
        >
          {t('browse.columnsDefault')}
        </button>
      </p>
    </Dialog>
  );
}
