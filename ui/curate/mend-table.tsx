/** Records with something to mend, each with a link to its form. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { urlOf } from '../shared/router.ts';
import { RecordLink, useTitles } from '../shared/tile.tsx';
import { t } from '../texts/texts.ts';
import { tc } from './texts.ts';

type MendRow = {
  readonly pid: string;
  /** `curated`, or `incoming/<label>`. */
  readonly area: string;
  readonly detail: ComponentChildren;
};

const SHOWN = 100;

export function MendTable(props: { collection: string; caption: string; rows: readonly MendRow[] }) {
  const { collection, caption, rows } = props;
  const [limit, setLimit] = useState(SHOWN);
  const shown = rows.slice(0, limit);
  const titles = useTitles(collection, [...new Set(shown.map(({ pid }) => pid))]);
  return (
    <>
      <div class="inner-scroll" tabIndex={0} role="region" aria-label={caption}>
        <table class="inner mend">
          <caption class="vh">{caption}</caption>
          <thead>
            <tr>
              <th scope="col">{tc('record')}</th>
              <th scope="col">{tc('problem')}</th>
              <th scope="col">
                <span class="vh">{tc('edit')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ pid, area, detail }, index) => (
              <tr key={index}>
                <th scope="row">
                  <RecordLink collection={collection} pid={pid} title={titles?.get(pid)} />
                  {area !== 'curated' && <small class="faint">{area.replace('incoming/', '')}</small>}
                </th>
                <td>{detail}</td>
                <td class="right">
                  <a
                    class="btn small"
                    href={urlMending(collection, pid, area)}
                    aria-label={`${tc('edit')}: ${pid}`}
                  >
                    {tc('edit')}
                  </a>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {limit < rows.length && (
        <p>
          <button type="button" class="btn" onClick={() => setLimit(limit + 10 * SHOWN)}>
            {t('submissions.more')}
          </button>
        </p>
      )}
    </>
  );
}

/** A curated record is edited; a submission is reviewed. */
function urlMending(collection: string, pid: string, area: string): string {
  const label = area.startsWith('incoming/') ? area.slice('incoming/'.length) : undefined;
  return label === undefined
    ? urlOf([collection, 'edit'], { pid })
    : urlOf([collection, 'review', 'item'], { label, pid });
}
