/** The rows of a table with the faults at their cells. */
import { useState } from 'preact/hooks';
import type { Problem } from '../base/api.ts';
import type { Sheet } from '../base/csv.ts';
import { t } from '../texts/texts.ts';
import { StateMark } from './state.tsx';

type Result = { status: number; detail?: string | Problem[] };
const SHOWN = 100;

export function UploadRows({
  sheet,
  mapping,
  results,
}: {
  sheet: Sheet;
  mapping: readonly string[];
  results: readonly Result[] | undefined;
}) {
  const [onlyBad, setOnlyBad] = useState(false);
  const [shown, setShown] = useState(SHOWN);
  const rows = sheet.rows
    .map((cells, index) => ({ cells, index, result: results?.[index] }))
    .filter(({ result }) => !onlyBad || (result && result.status !== 200));
  return (
    <>
      {results && (
        <p class="check-line">
          <label>
            <input
              type="checkbox"
              checked={onlyBad}
              onChange={(event) => setOnlyBad(event.currentTarget.checked)}
            />{' '}
            {t('upload.onlyBad')}
          </label>
        </p>
      )}
      <div class="inner-scroll" tabIndex={0} role="region" aria-label={t('upload.rows')}>
        <table class="inner">
          <thead>
            <tr>
              <th scope="col">{t('upload.row')}</th>
              {sheet.columns.map((column, index) => (
                <th key={`${index} ${column}`} scope="col">
                  {column}
                </th>
              ))}
              <th scope="col">{t('upload.problems')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map(({ cells, index, result }) => {
              const problems = Array.isArray(result?.detail) ? result.detail : [];
              const slotOf = ({ loc }: Problem) => String((loc[0] === 'body' ? loc[1] : loc[0]) ?? '');
              const rest = problems.filter((problem) => !mapping.includes(slotOf(problem)));
              const words = [
                ...rest.map(({ msg }) => msg),
                ...(typeof result?.detail === 'string' ? [result.detail] : []),
              ];
              return (
                <tr key={index}>
                  <td class="num">
                    {result && <StateMark name={result.status === 200 ? 'accepted' : 'rejected'} size={12} />}{' '}
                    {index + 1}
                  </td>
                  {sheet.columns.map((column, at) => {
                    const own = problems.filter(
                      (problem) => mapping[at] !== '' && slotOf(problem) === mapping[at],
                    );
                    return (
                      <td key={`${at} ${column}`} class={own.length > 0 ? 'cell-bad' : undefined}>
                        <bdi>{cells[at]}</bdi>
                        {own.map(({ msg }) => (
                          <small key={msg}>{msg}</small>
                        ))}
                      </td>
                    );
                  })}
                  <td class="muted">{words.join(' ')}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {rows.length > shown && (
        <p>
          <button type="button" class="btn" onClick={() => setShown(shown + SHOWN * 10)}>
            {t('submissions.more')}
          </button>
        </p>
      )}
    </>
  );
}
