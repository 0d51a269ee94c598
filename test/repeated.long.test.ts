/** Short tests again, with what is repetition there: more generated inputs, more backends, more sizes. */
import { globSync, readFileSync } from 'node:fs';
import { suitesOf } from './support/suites.ts';

const FILES = [
  'src/records/as-of',
  'src/records/overlay',
  'test/api/any-request',
  'test/api/as-of',
  'test/api/changes',
  'test/api/long-requests',
  'test/cli/render',
  'test/curate/duplicates',
  'test/curate/faults',
  'test/curate/links',
  'test/curate/moves',
  'test/example/schema',
  'test/migrate/edits',
  'test/migrate/refusals',
  'test/migrate/rehearse',
  'test/review/merge-properties',
];

/** Those of modules: the files that use the tiers, or what their module shares. */
const OF_MODULES = globSync('src/modules/**/*.test.ts')
  .filter(
    (file) =>
      !file.endsWith('.long.test.ts') && /(support\/tier|\.support)\.ts'/.test(readFileSync(file, 'utf8')),
  )
  .sort();

suitesOf([...FILES.map((file) => `${file}.test.ts`), ...OF_MODULES]);
