/** Chooses the columns of a class. */
import { useState } from 'preact/hooks';
import { Icon } from '../shared/icons.tsx';
import type { ClassDescription } from '../shared/schema.ts';
import { t } from '../texts/texts.ts';
import { candidates, chooseColumns, columnsOf, shownColumns } from './columns.ts';
import { SlotsDialog } from './slots-dialog.tsx';
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
        <SlotsDialog
          title={t('browse.columnsOf', { name: description.title ?? description.class })}
          legend={t('browse.columns')}
          slots={candidates(description)}
          chosen={shownColumns(collection, description) ?? columnsOf(description)}
          usual={t('browse.columnsDefault')}
          onChoose={(names) => {
            chooseColumns(collection, description, names);
            if (names === undefined) forgetWidths(collection, description);
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
