/** Short tests again, with what is repetition there: more generated inputs, more backends, more sizes. */
import { globSync, readFileSync } from 'node:fs';
import { suitesOf } from './support/suites.ts';

/** The tests that use the tiers or their backends, or what the tests of a module share. */
const FILES = globSync('{src,test,ui}/**/*.test.ts')
  .filter((file) => !file.endsWith('.long.test.ts'))
  .filter((file) => /(support\/(tier|backends)|\.support)\.ts'/.test(readFileSync(file, 'utf8')))
  .sort();

suitesOf(FILES);
