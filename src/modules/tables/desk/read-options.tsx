/** How the file is read: what a spreadsheet program writes in its own way. Closed, since most files need none of it. */

import { SelectField } from '../../../../ui/shared/select-field.tsx';
import type { TableOptions } from '../client.ts';
import type { FileReading } from '../files/file-tables.ts';
import { ti } from './texts.ts';

export type ReadOptions = Pick<
  TableOptions,
  'sheet' | 'headerRow' | 'encoding' | 'decimalComma' | 'dates' | 'replace'
>;

/** Those of the file itself. */
export function ofFile({ sheet, headerRow, encoding }: ReadOptions): FileReading {
  return { sheet, headerRow, encoding };
}

/** Those that also apply to the rows that the desk sends after it has read the file. */
export function ofRows({ decimalComma, dates, replace }: ReadOptions): ReadOptions {
  return { decimalComma, dates, replace };
}

const ENCODINGS = ['utf-8', 'windows-1252', 'utf-16le', 'utf-16be'] as const;

export function ReadOptionsFields(props: { options: ReadOptions; onChange: (next: ReadOptions) => void }) {
  const { options, onChange } = props;
  return (
    <details class="field">
      <summary>{ti('options')}</summary>
      <div class="form">
        <div class="two-up">
          <div class="field">
            <label for="upload-sheet">{ti('sheet')}</label>
            <input
              class="input"
              id="upload-sheet"
              value={options.sheet ?? ''}
              onInput={(event) => onChange({ ...options, sheet: event.currentTarget.value || undefined })}
            />
            <p class="help">{ti('sheetHelp')}</p>
          </div>
          <div class="field">
            <label for="upload-header">{ti('headerRow')}</label>
            <input
              class="input num"
              id="upload-header"
              type="number"
              min={1}
              value={options.headerRow ?? 1}
              onInput={(event) =>
                onChange({ ...options, headerRow: Number(event.currentTarget.value) || undefined })
              }
            />
          </div>
        </div>
        <div class="two-up">
          <SelectField
            id="upload-encoding"
            label={ti('encoding')}
            value={options.encoding ?? 'utf-8'}
            onChoose={(encoding) => onChange({ ...options, encoding })}
          >
            {ENCODINGS.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </SelectField>
          <SelectField
            id="upload-dates"
            label={ti('dates')}
            value={options.dates ?? ''}
            onChoose={(dates) =>
              onChange({
                ...options,
                dates: dates === 'dmy' || dates === 'mdy' || dates === 'excel' ? dates : undefined,
              })
            }
          >
            <option value="">2026-12-31</option>
            <option value="dmy">31.12.2026</option>
            <option value="mdy">12/31/2026</option>
            <option value="excel">46387</option>
          </SelectField>
        </div>
        <label class="check-line">
          <input
            type="checkbox"
            checked={options.decimalComma ?? false}
            onChange={(event) =>
              onChange({ ...options, decimalComma: event.currentTarget.checked || undefined })
            }
          />{' '}
          {ti('decimalComma')}
        </label>
        <label class="check-line">
          <input
            type="checkbox"
            checked={options.replace ?? false}
            onChange={(event) => onChange({ ...options, replace: event.currentTarget.checked || undefined })}
          />{' '}
          {ti('replace')}
        </label>
      </div>
    </details>
  );
}
