/** The faults of a table by cell, as spreadsheet programs name them. */
import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';

export type TableFault = {
  readonly row: number;
  readonly column: string;
  readonly header: string;
  readonly value: string;
  readonly type: string;
  readonly message: string;
};

const SHOWN = 100;

export function FaultTable({ title, faults }: { title: string; faults: readonly TableFault[] }) {
  const [shown, setShown] = useState(SHOWN);
  return (
    <>
      <div class="head">
        <h2>
          {title} <span class="faint">{faults.length}</span>
        </h2>
      </div>
      <div class="inner-scroll" tabIndex={0} role="region" aria-label={title}>
        <table class="inner">
          <thead>
            <tr>
              <th scope="col">{t('upload.cell')}</th>
              <th scope="col">{t('upload.column')}</th>
              <th scope="col">{t('upload.found')}</th>
              <th scope="col">{t('upload.problem')}</th>
            </tr>
          </thead>
          <tbody>
            {faults.slice(0, shown).map((fault, index) => (
              <tr key={index}>
                <td class="mono nowrap">
                  {fault.column}
                  {fault.row}
                </td>
                <td>
                  <bdi>{fault.header || '–'}</bdi>
                </td>
                <td class={fault.value === '' ? undefined : 'cell-bad'}>
                  <bdi>{fault.value || '–'}</bdi>
                </td>
                <td>{fault.message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown < faults.length && (
        <p>
          <button type="button" class="btn" onClick={() => setShown(shown + 10 * SHOWN)}>
            {t('submissions.more')}
          </button>
        </p>
      )}
    </>
  );
}
