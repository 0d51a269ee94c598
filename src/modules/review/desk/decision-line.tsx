/** A decision in a list: the record, what was decided, by whom and when. */

import { localPart } from '../../../../ui/shared/schema.ts';
import { session } from '../../../../ui/shared/session.ts';
import { StateMark } from '../../../../ui/shared/state.tsx';
import { Tile, useTitles } from '../../../../ui/shared/tile.tsx';
import { shortTime } from '../../../../ui/shared/time.ts';
import { useUserNames } from '../../../../ui/shared/user-name.tsx';
import { type Key, t } from '../../../../ui/texts/texts.ts';
import type { Decision, ListedDecision } from '../api-types.ts';
import { type TextKey, tr } from './texts.ts';
import { DECIDED, decidedUrl } from './verdicts.ts';

export function DecisionLine({ collection, row }: { collection: string; row: ListedDecision }) {
  const title = useTitles(collection, [row.pid])?.get(row.pid)?.title || row.title;
  return (
    <li class="line">
      <span>
        <a class="ref" href={decidedUrl(collection, row)} title={row.pid}>
          <Tile name={row.class} />
          <bdi class="t">{title || localPart(row.pid)}</bdi>
        </a>
        <span class="muted folded">
          <DecisionWords collection={collection} row={row} />
        </span>
      </span>
      <span class="tiny faint">
        <time dateTime={row.time}>{shortTime(row.time)}</time>
      </span>
    </li>
  );
}

/** `rejected by you: DOI missing` */
export function DecisionWords({ collection, row }: { collection: string; row: Decision }) {
  const { reviewer, reason } = row;
  const nameOf = useUserNames(collection, [reviewer]);
  const who = reviewer === session.me.value?.user_id ? tr('decision.you') : nameOf(reviewer ?? '');
  const what =
    who === ''
      ? t(`state.${DECIDED[row.decision]}` as Key)
      : tr(`decision.${row.decision}` as TextKey, { who });
  const undone = row.undone ? ` · ${tr('decision.undone')}` : '';
  return `${what}${reason ? `: ${reason}` : ''}${undone}`;
}

export function DecisionMark({ row }: { row: Decision }) {
  return <StateMark name={DECIDED[row.decision]} />;
}
