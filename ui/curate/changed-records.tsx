/** The records that a rename or merge changes. */
import type { MoveReport } from '../../src/client/client.ts';
import { RecordLink } from '../shared/tile.tsx';
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
      </div>
    </section>
  );
}
