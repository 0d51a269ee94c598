/**
 * Short tests again, with what is repetition there: more generated inputs, more backends, more sizes, and what takes long.
 * ACCESSION_REPEATED, a pattern, sets of which files.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { suitesOf } from './support/suites.ts';

const usesTiers = (file: string) => /support\/(tier|backends)\.ts'/.test(readFileSync(file, 'utf8'));
/** What the tests of a module share, if that uses the tiers or their backends. */
const SHARED = globSync('src/**/*.support.ts')
  .filter(usesTiers)
  .map((file) => `./${basename(file)}'`);

const CHOSEN = new RegExp(process.env.ACCESSION_REPEATED ?? '.');
const FILES = globSync('{src,test,ui}/**/*.test.ts')
  .filter((file) => !file.endsWith('.long.test.ts') && CHOSEN.test(file))
  .filter((file) => usesTiers(file) || usesShared(file))
  .sort();

function usesShared(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  return SHARED.some((name) => text.includes(name));
}

suitesOf(FILES);
