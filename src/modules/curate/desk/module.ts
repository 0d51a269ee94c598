import type { DeskModule } from '../../../../ui/module.ts';
import { useHome } from './home.tsx';
import { tc } from './texts.ts';

const CURATE = ['curate'] as const;
const STEWARDSHIP = ['stewardship'] as const;

export const curate: DeskModule = {
  name: 'curate',
  useHome,
  sections: [
    {
      name: 'duplicates',
      places: STEWARDSHIP,
      title: () => tc('duplicates'),
      view: () => import('./duplicates.tsx').then(({ Duplicates }) => Duplicates),
    },
    {
      name: 'dangling',
      places: STEWARDSHIP,
      title: () => tc('dangling'),
      view: () => import('./dangling.tsx').then(({ Dangling }) => Dangling),
    },
    {
      name: 'faults',
      places: STEWARDSHIP,
      title: () => tc('faults'),
      view: () => import('./faults.tsx').then(({ Faults }) => Faults),
    },
    {
      name: 'moves',
      places: STEWARDSHIP,
      title: () => tc('moves'),
      view: () => import('./moves.tsx').then(({ Moves }) => Moves),
    },
    {
      name: 'identifying-slots',
      places: ['settings'],
      title: () => tc('identifying'),
      view: () => import('./identifying-slots.tsx').then(({ IdentifyingSlots }) => IdentifyingSlots),
    },
  ],
  views: [
    {
      name: 'rename',
      below: 'collection',
      needs: CURATE,
      entry: 'stewardship',
      view: () => import('./rename.tsx').then(({ Rename }) => Rename),
    },
    {
      name: 'merge',
      below: 'collection',
      needs: CURATE,
      entry: 'stewardship',
      view: () => import('./merge-records.tsx').then(({ MergeRecords }) => MergeRecords),
    },
  ],
  panels: [
    {
      name: 'fault',
      place: 'above',
      view: () => import('./fault-note.tsx').then(({ FaultNote }) => FaultNote),
    },
    {
      name: 'moves',
      place: 'actions',
      view: () => import('./move-links.tsx').then(({ MoveLinks }) => MoveLinks),
    },
  ],
};
