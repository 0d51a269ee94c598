import type { DeskModule } from '../../../../ui/module.ts';
import { tv } from './texts.ts';

export const vocabularies: DeskModule = {
  name: 'vocabularies',
  sections: [
    {
      name: 'vocabularies',
      places: ['admin', 'stewardship'],
      title: () => tv('title'),
      view: () => import('./vocabularies.tsx').then(({ Vocabularies }) => Vocabularies),
    },
  ],
  controls: [
    {
      name: 'terms',
      // Values that the schema lists besides terms are chosen from the list.
      fits: (range) => range.kind === 'enum' && range.vocabularies !== undefined && range.values.length === 0,
      view: () => import('./pick-term.tsx').then(({ PickTerm }) => PickTerm),
    },
  ],
};
