/** Warns of the effect of another schema on the records of a collection: how many no longer fit, and the changes. */
import type { Rehearsal } from '../../src/client/client.ts';
import { Icon } from '../shared/icons.tsx';
import { count } from '../shared/time.ts';
import { t } from '../texts/texts.ts';

const SHOWN = 5;

/** Whether there is anything to report. */
export function hasEffect({ changes, summary: { by_outcome: by } }: Rehearsal): boolean {
  return changes.some(({ effect }) => effect === 'tightened') || broken(by) > 0;
}

function broken(by: Rehearsal['summary']['by_outcome']): number {
  return (by.newly_invalid ?? 0) + (by.unreachable ?? 0) + (by.mendable ?? 0);
}

export function SchemaWarnings({ rehearsal }: { rehearsal: Rehearsal }) {
  const { summary, changes, items } = rehearsal;
  const unfit = broken(summary.by_outcome);
  const tightened = changes.filter(({ effect }) => effect === 'tightened');
  return (
    <div class={unfit > 0 ? 'note st-rejected' : 'note st-diverged'} role="alert">
      <Icon name="warning" />
      <div>
        <p class="strong">{t('schema.unfit', { n: unfit, total: count(summary.total) })}</p>
        {items.length > 0 && (
          <ul>
            {items.slice(0, SHOWN).map(({ pid, in: area }) => (
              <li key={`${area} ${pid}`}>
                <bdi class="mono">{pid}</bdi> <span class="faint">{area}</span>
              </li>
            ))}
          </ul>
        )}
        {tightened.length > 0 && (
          <ul>
            {tightened.slice(0, SHOWN).map(({ name, message }) => (
              <li key={`${name} ${message}`}>{message}</li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}
