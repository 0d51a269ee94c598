/** Examples and counterexamples of a schema, in the folders and with the names that LinkML's tools expect. */
import { basename, dirname, extname, relative, resolve, sep } from 'node:path';
import type { Finding } from './findings.ts';
import type { Judged } from './judge.ts';

/** Folders whose files must be refused. */
const COUNTEREXAMPLES = new Set(['invalid', 'counter_examples']);

/**
 * Whether a file is a counterexample: in a folder of that name, which is the one that is validated or below it. A file
 * that is named itself is not: its problems are wanted.
 */
export function isCounterexample(path: string, file: string): boolean {
  const root = resolve(path);
  const inner = relative(root, dirname(resolve(file)));
  if (inner.startsWith('..')) return false;
  return [basename(root), ...inner.split(sep)].some((folder) => COUNTEREXAMPLES.has(folder));
}

/** Reports a counterexample that has no problem. */
export function judgeCounterexample({ findings }: Pick<Judged, 'findings'>, file: string): Finding[] {
  if (findings.length > 0) return [];
  const message = 'Expected a problem, because the file is a counterexample, found none.';
  return [{ file, line: 1, column: 1, path: '', type: 'counterexample_valid', message }];
}

/** The class that a file is named for: `Person-001.yaml`. */
export function classInName(file: string, isClass: (name: string) => boolean): string | undefined {
  const [name = ''] = basename(file, extname(file)).split('-');
  return isClass(name) ? name : undefined;
}
