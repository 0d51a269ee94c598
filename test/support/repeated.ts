/**
 * Short tests again, with what is repetition there: more generated inputs, more backends, more sizes, and what takes long. Each file of
 * `test/repeated` has a part of them in a process of its own. ACCESSION_REPEATED, a pattern, sets of which files.
 */
import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { suitesOf } from './suites.ts';

const usesTiers = (file: string) => /support\/(tier|backends)\.ts'/.test(readFileSync(file, 'utf8'));

/** Declares those of some directories. */
export function repeat(directories: RegExp): void {
  // What the tests of a module share, if that uses the tiers or their backends.
  const shared = globSync('src/**/*.support.ts')
    .filter(usesTiers)
    .map((file) => `./${basename(file)}'`);
  const usesShared = (file: string) => {
    const text = readFileSync(file, 'utf8');
    return shared.some((name) => text.includes(name));
  };
  const chosen = new RegExp(process.env.ACCESSION_REPEATED ?? '.');
  const files = globSync('{src,test,ui}/**/*.test.ts')
    .filter((file) => directories.test(file) && chosen.test(file) && !file.endsWith('.long.test.ts'))
    .filter((file) => usesTiers(file) || usesShared(file))
    .sort();
  suitesOf(files);
}
