/** Another schema in the dialog of a collection: warns of its effect on the records, and puts it in force. */

import type { Configured, RehearsedReplacement } from '../../../../ui/module.ts';
import { Icon } from '../../../../ui/shared/icons.tsx';
import { lab } from '../../../../ui/shared/service.ts';
import { count } from '../../../../ui/shared/time.ts';
import { migrate, type Rehearsal } from '../client.ts';
import { ts } from './texts.ts';

const SHOWN = 5;

/** Judges the records by the schema of a configuration, which is not saved yet. */
export async function rehearseReplacement(configured: Configured): Promise<RehearsedReplacement | undefined> {
  const changes = lab(configured.name).use(migrate);
  const rehearsal = await changes.rehearseReplacement(configured);
  if (!rehearsal) return undefined;
  return {
    ...(hasEffect(rehearsal) && { Warnings: () => <SchemaWarnings rehearsal={rehearsal} /> }),
    async putInForce() {
      await changes.switch(rehearsal.id);
    },
  };
}

/** Whether there is anything to report. */
function hasEffect({ changes, summary: { by_outcome: by } }: Rehearsal): boolean {
  return changes.some(({ effect }) => effect === 'tightened') || broken(by) > 0;
}

function broken(by: Rehearsal['summary']['by_outcome']): number {
  return (by.newly_invalid ?? 0) + (by.unreachable ?? 0) + (by.mendable ?? 0);
}

function SchemaWarnings({ rehearsal }: { rehearsal: Rehearsal }) {
  const { summary, changes, items } = rehearsal;
  const unfit = broken(summary.by_outcome);
  const tightened = changes.filter(({ effect }) => effect === 'tightened');
  return (
    <div class={unfit > 0 ? 'note st-rejected' : 'note st-diverged'} role="alert">
      <Icon name="warning" />
      <div>
        <p class="strong">{ts('unfit', { n: unfit, total: count(summary.total) })}</p>
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
