/** The records that a rename or merge changes. */

import { RecordLink } from '../../../../ui/shared/tile.tsx';
import type { MoveReport } from '../api-types.ts';
import { tc } from './texts.ts';

const SHOWN = 10;

export function ChangedRecords({ collection, report }: { collection: string; report: MoveReport }) {
  const { changes, from, to } = report;
  const others = changes.filter(({ pid }) => pid !== from && pid !== to);
  return (
    <section aria-label={tc('preview')} class="note">
      <div>
        <p class="strong">{tc('links', { n: changes.length })}</p>
        <p>{tc('linksHelp', { from, to })}</p>
        <ul class="stack-s">
          {others.slice(0, SHOWN).map(({ pid }) => (
            <li key={pid}>
              <RecordLink collection={collection} pid={pid} />
            </li>
          ))}
        </ul>
        {others.length > SHOWN && <p class="faint">+{others.length - SHOWN}</p>}
        {REASONS.map((reason) => (
          <LeftOut key={reason} collection={collection} report={report} reason={reason} />
        ))}
      </div>
    </section>
  );
}

const REASONS = ['repeated', 'itself'] as const;

/** The references that records do not have any more, for one reason. */
function LeftOut(props: { collection: string; report: MoveReport; reason: (typeof REASONS)[number] }) {
  const { collection, report, reason } = props;
  const leftOut = report.left_out.filter((one) => one.reason === reason);
  if (leftOut.length === 0) return null;
  return (
    <>
      <p>{tc(reason, { n: leftOut.length })}</p>
      <ul class="stack-s">
        {leftOut.slice(0, SHOWN).map(({ pid, path }) => (
          <li key={`${pid} ${path}`}>
            <RecordLink collection={collection} pid={pid} /> <small class="mono faint">{path}</small>
          </li>
        ))}
      </ul>
      {leftOut.length > SHOWN && <p class="faint">+{leftOut.length - SHOWN}</p>}
    </>
  );
}
