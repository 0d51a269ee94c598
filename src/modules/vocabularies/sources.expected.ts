/** Sources of vocabularies, which the service reads. */
import { type Cases, ofCollections, replacing } from '../../../test/support/sources.ts';
import { rehearsing } from '../migrate/sources.expected.ts';

const eachFormat = (source: string) =>
  ['csv', 'skos', 'obograph'].map((format) => ({ vocabularies: { v: { source, format } } }));

export const cases: Cases = {
  ...ofCollections({ 'vocabularies.*.source': replacing(eachFormat) }),
  'POST /-/{collection}/rehearse vocabularies.*.source': rehearsing(eachFormat),
};
