/** Records with something to mend, each with a link to its form. */
import type { ComponentChildren } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { urlOf } from '../../../../ui/shared/router.ts';
import { Submissions } from '../../../../ui/shared/submission-urls.ts';
import { type InArea, RecordInArea, useTitles, zoneOf } from '../../../../ui/shared/tile.tsx';
import { t } from '../../../../ui/texts/texts.ts';
import { tc } from './texts.ts';

type MendRow = {
  readonly record: InArea;
  readonly detail: ComponentChildren;
};

const SHOWN = 100;

export function MendTable(props: { collection: string; caption: string; rows: readonly MendRow[] }) {
  const { collection, caption, rows } = props;
  const [limit, setLimit] = useState(SHOWN);
  const shown = rows.slice(0, limit);
  const curated = shown.map(({ record }) => record).filter((record) => zoneOf(record) === undefined);
  const titles = useTitles(collection, [...new Set(curated.map(({ pid }) => pid))]);
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
            {shown.map(({ record, detail }, index) => (
              <tr key={index}>
                <th scope="row">
                  <RecordInArea collection={collection} record={record} title={titles?.get(record.pid)} />
                </th>
                <td>{detail}</td>
                <td class="right">
                  <MendLink collection={collection} record={record} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {limit < rows.length && (
        <p>
          <button type="button" class="btn" onClick={() => setLimit(limit + 10 * SHOWN)}>
            {t('action.more')}
          </button>
        </p>
      )}
    </>
  );
}

/** A curated record is edited; a submission is reviewed. */
function MendLink({ collection, record }: { collection: string; record: InArea }) {
  const submissions = useContext(Submissions);
  const { pid } = record;
  const label = zoneOf(record);
  const href =
    label === undefined ? urlOf([collection, 'edit'], { pid }) : submissions?.inZone(collection, label, pid);
  if (href === undefined) return null;
  return (
    <a class="btn small" href={href} aria-label={`${tc('edit')}: ${pid}`}>
      {tc('edit')}
    </a>
  );
}
