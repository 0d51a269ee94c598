/** The next submissions of the queue, in the rail. */

import { StateMark, stateWord } from '../../../../ui/shared/state.tsx';
import type { Submission } from '../api-types.ts';
import { titleOf } from './queue-columns.tsx';
import { tr } from './texts.ts';

export function NextList({
  rows,
  current,
  urlFor,
}: {
  rows: readonly Submission[];
  current: string;
  urlFor: (row: Submission) => string;
}) {
  return (
    <section aria-labelledby="rail-next">
      <h2 id="rail-next">{tr('review.nextInQueue')}</h2>
      <ul>
        {rows.map((row) => (
          <li key={`${row.label} ${row.pid}`}>
            <a
              class="item"
              href={urlFor(row)}
              aria-current={`${row.label}\n${row.pid}` === current ? 'true' : undefined}
            >
              <StateMark name={row.state} />
              <span class="vh">{stateWord(row.state)}: </span>
              <span class="clip">
                <bdi>{titleOf(row)}</bdi>
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
