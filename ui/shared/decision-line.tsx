/** A decision in a list: the record, what was decided, by whom and when. */
import type { Decision, ListedDecision } from '../../src/modules/review/api-types.ts';
import { type Key, t } from '../texts/texts.ts';
import { DECIDED, decidedUrl } from './review.ts';
import { localPart } from './schema.ts';
import { session } from './session.ts';
import { StateMark } from './state.tsx';
import { Tile, useTitles } from './tile.tsx';
import { shortTime } from './time.ts';

export function DecisionLine({ collection, row }: { collection: string; row: ListedDecision }) {
  const title = useTitles(collection, [row.pid])?.get(row.pid)?.title || row.title;
  return (
    <li class="line">
      <span>
        <a class="ref" href={decidedUrl(collection, row)} title={row.pid}>
          <Tile name={row.class} />
          <bdi class="t">{title || localPart(row.pid)}</bdi>
        </a>
        <span class="muted folded">{decisionWords(row)}</span>
      </span>
      <span class="tiny faint">
        <time dateTime={row.time}>{shortTime(row.time)}</time>
      </span>
    </li>
  );
}

/** `rejected by you: DOI missing` */
export function decisionWords(row: Decision): string {
  const who = row.reviewer === session.me.value?.user_id ? t('decision.you') : (row.reviewer ?? '');
  const what =
    who === '' ? t(`state.${DECIDED[row.decision]}` as Key) : t(`decision.${row.decision}` as Key, { who });
  const undone = row.undone ? ` · ${t('decision.undone')}` : '';
  return `${what}${row.reason ? `: ${row.reason}` : ''}${undone}`;
}

export function DecisionMark({ row }: { row: Decision }) {
  return <StateMark name={DECIDED[row.decision]} />;
}
