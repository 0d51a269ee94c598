import type { DeskModule, KeyRow, RailCount } from '../../../../ui/module.ts';
import { urlOf } from '../../../../ui/shared/router.ts';
import { t } from '../../../../ui/texts/texts.ts';
import { useHome } from './home.tsx';
import { tr } from './texts.ts';
import { lastSeen } from './unseen.ts';
import { countWaiting, ownCounts, summary } from './waiting.ts';

const CURATE = ['curate'] as const;

export const review: DeskModule = {
  name: 'review',
  count: countWaiting,
  useHome,
  submissions: {
    title: () => tr('rail.submissions'),
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
        title: () => tr('rail.review'),
        after: 'browse',
        key: 'r',
        count: countInQueue,
      },
      keys: () => ({ title: tr('keys.inQueue'), rows: queueKeys() }),
      view: () => import('./queue.tsx').then(({ Queue }) => Queue),
    },
    {
      name: 'review/item',
      below: 'collection',
      needs: CURATE,
      isUsual: true,
      keys: () => ({ title: tr('keys.inReview'), rows: itemKeys() }),
      view: () => import('./review.tsx').then(({ Review }) => Review),
    },
    {
      name: 'submissions',
      below: 'collection',
      needs: ['write_zone'],
      isUsual: true,
      rail: {
        icon: 'send',
        title: () => tr('rail.submissions'),
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
      view: () => import('./decisions.tsx').then(({ Decisions }) => Decisions),
    },
  ],
  sections: [
    {
      name: 'review-settings',
      places: ['settings'],
      title: () => tr('rail.review'),
      view: () => import('./review-settings.tsx').then(({ ReviewSettings }) => ReviewSettings),
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
  const look = collection === undefined ? undefined : lastSeen(collection, 'review');
  return {
    n: value?.total,
    title: tr('rail.waiting'),
    isNew: look !== undefined && value!.as_of > look && value!.total > 0,
  };
}

function countToCorrect(): RailCount {
  const own = ownCounts.value?.value;
  return {
    n: own && (own.rejected ?? 0) + own.requested,
    title: tr('rail.toCorrect'),
    isNew: (own?.news ?? 0) > 0,
  };
}

function queueKeys(): readonly KeyRow[] {
  return [
    [t('keys.rows'), 'J', 'K'],
    [t('keys.openRow'), 'Enter'],
    [t('keys.check'), 'X'],
    [t('keys.checkRange'), 'Shift X'],
    [tr('keys.checkAll'), 'Ctrl A'],
    [tr('keys.accept'), 'A'],
    [tr('keys.acceptValid'), 'Shift A'],
    [tr('keys.reject'), 'R'],
    [tr('keys.defer'), 'D'],
    [tr('keys.askMany'), 'Q'],
    [tr('keys.assign'), 'W'],
    [t('keys.undo'), 'U'],
    [tr('keys.filter'), 'F'],
  ];
}

function itemKeys(): readonly KeyRow[] {
  return [
    [t('keys.rows'), 'J', 'K'],
    [tr('keys.next'), 'N', 'P'],
    [tr('keys.sides'), '1', '2', '3'],
    [tr('keys.conflict'), 'C'],
    [tr('keys.folded'), '.'],
    [tr('keys.accept'), 'A'],
    [tr('keys.acceptAlone'), 'Shift A'],
    [tr('keys.acceptSubmitted'), 'S'],
    [tr('keys.reject'), 'R'],
    [tr('keys.defer'), 'D'],
    [tr('keys.ask'), 'Q'],
    [tr('keys.assign'), 'W'],
    [t('keys.undo'), 'U'],
    [tr('keys.editValue'), 'E'],
    [tr('keys.asForm'), 'F'],
    [tr('keys.context'), 'I'],
    [tr('keys.queue'), 'Esc'],
  ];
}
