/** Short tests again, with what is repetition there: more generated inputs, more backends, more sizes. */
import { suitesOf } from './support/suites.ts';

const FILES = [
  'src/formats/turtle/round-trip',
  'src/records/as-of',
  'src/records/overlay',
  'test/api/any-request',
  'test/api/as-of',
  'test/api/changes',
  'test/api/comments',
  'test/api/expand',
  'test/api/long-requests',
  'src/modules/releases/releases',
  'test/api/review',
  'test/api/review-rows',
  'test/api/review-search',
  'src/modules/webhooks/webhooks',
  'test/cli/render',
  'test/curate/duplicates',
  'test/curate/faults',
  'test/curate/links',
  'test/curate/moves',
  'test/migrate/edits',
  'test/migrate/refusals',
  'test/migrate/rehearse',
  'test/review/merge-properties',
  'test/review/undo',
];

suitesOf(FILES.map((file) => `${file}.test.ts`));
