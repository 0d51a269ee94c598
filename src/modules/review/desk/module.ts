import type { DeskModule, KeyRow, RailCount } from '../../../../ui/module.ts';
import { urlOf } from '../../../../ui/shared/router.ts';
import { lastLook } from '../../../../ui/shared/unseen.tsx';
import { countWaiting, ownCounts, summary } from '../../../../ui/shared/waiting.ts';
import { type Key, t } from '../../../../ui/texts/texts.ts';
import { useHome } from './home.tsx';

const CURATE = ['curate'] as const;

export const review: DeskModule = {
  name: 'review',
  count: countWaiting,
  useHome,
  submissions: {
    title: () => t('rail.submissions'),
    own: (collection, batch) => urlOf([collection, 'submissions'], { batch }),
    inZone: (collection, label, pid) => urlOf([collection, 'review', 'item'], { label, pid }),
  },
  views: [
    {
      name: 'review',
      below: 'collection',
      needs: CURATE,
      isUsual: true,
      rail: {
        icon: 'review',
        title: () => t('rail.review'),
        after: 'browse',
        key: 'r',
        count: countInQueue,
      },
      keys: () => ({ title: t('keys.inQueue'), rows: worded(QUEUE_KEYS) }),
      view: () => import('../../../../ui/review/queue.tsx').then(({ Queue }) => Queue),
    },
    {
      name: 'review/item',
      below: 'collection',
      needs: CURATE,
      isUsual: true,
      keys: () => ({ title: t('keys.inReview'), rows: worded(ITEM_KEYS) }),
      view: () => import('../../../../ui/review/review.tsx').then(({ Review }) => Review),
    },
    {
      name: 'submissions',
      below: 'collection',
      needs: ['write_zone'],
      isUsual: true,
      rail: {
        icon: 'send',
        title: () => t('rail.submissions'),
        after: 'stewardship',
        key: 's',
        covers: ['new'],
        count: countToCorrect,
      },
      view: () => import('./submissions.tsx').then(({ Submissions }) => Submissions),
    },
    {
      name: 'decisions',
      below: 'collection',
      needs: CURATE,
      entry: 'review',
      view: () => import('../../../../ui/review/decisions.tsx').then(({ Decisions }) => Decisions),
    },
  ],
  panels: [
    {
      name: 'waiting-for',
      place: 'heading',
      view: () => import('./waiting-for.tsx').then(({ WaitingFor }) => WaitingFor),
    },
    {
      name: 'why-rejected',
      place: 'form',
      view: () => import('./why-rejected.tsx').then(({ WhyRejected }) => WhyRejected),
    },
  ],
};

function countInQueue(): RailCount {
  const { collection, value } = summary.value ?? {};
  const look = collection === undefined ? undefined : lastLook(collection, 'review');
  return {
    n: value?.total,
    title: t('rail.waiting'),
    isNew: look !== undefined && Date.parse(value!.as_of) > Date.parse(look) && value!.total > 0,
  };
}

function countToCorrect(): RailCount {
  const own = ownCounts.value?.value;
  return {
    n: own && (own.rejected ?? 0) + own.requested,
    title: t('rail.toCorrect'),
    isNew: (own?.news ?? 0) > 0,
  };
}

type Row = readonly [text: Key, ...keys: string[]];
const QUEUE_KEYS: readonly Row[] = [
  ['keys.rows', 'J', 'K'],
  ['keys.openRow', 'Enter'],
  ['keys.check', 'X'],
  ['keys.checkRange', 'Shift X'],
  ['keys.checkAll', 'Ctrl A'],
  ['keys.accept', 'A'],
  ['keys.acceptValid', 'Shift A'],
  ['keys.reject', 'R'],
  ['keys.defer', 'D'],
  ['keys.undo', 'U'],
  ['keys.filter', 'F'],
];
const ITEM_KEYS: readonly Row[] = [
  ['keys.rows', 'J', 'K'],
  ['keys.next', 'N', 'P'],
  ['keys.sides', '1', '2', '3'],
  ['keys.conflict', 'C'],
  ['keys.folded', '.'],
  ['keys.accept', 'A'],
  ['keys.acceptAlone', 'Shift A'],
  ['keys.acceptSubmitted', 'S'],
  ['keys.reject', 'R'],
  ['keys.defer', 'D'],
  ['keys.ask', 'Q'],
  ['keys.undo', 'U'],
  ['keys.editValue', 'E'],
  ['keys.asForm', 'F'],
  ['keys.context', 'I'],
  ['keys.queue', 'Esc'],
];

function worded(rows: readonly Row[]): readonly KeyRow[] {
  return rows.map(([text, ...keys]) => [t(text), ...keys]);
}
