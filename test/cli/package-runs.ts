/** How `test/package.long.test.ts` runs the commands of the package. */

import { vocabularyFile } from '#linkml-test/vocabularies.ts';
import { GENERATED } from '../../src/cli/offline/commands.ts';
import { expectedOfModules } from '../support/module-files.ts';
import { NOWHERE, type PackageRun, SCHEMA } from './package-run.ts';

const VOCABULARY = vocabularyFile('cl');
/** Those of modules, in their `commands.expected.ts`. */
const OF_MODULES = await expectedOfModules<{ runs: readonly PackageRun[] }>('commands');

/** Each command but `serve`. The first one makes a store. */
export const RUNS: readonly PackageRun[] = [
  [['init', '../first'], 0],
  [['check', '../first'], 0],
  [['doctor', '../first'], 0],
  [['check-database', '../first'], 2],
  [['validate', '../first'], 0],
  [['backup', '../first', '../first.tar.gz'], 0],
  [['restore', '--verify', '../first.tar.gz'], 0],
  [['audit', 'report', '../first', 'laboratory'], 0],
  [['config', 'diff', '../first', '../first'], 0],
  [['diff', '../first@1', '../first'], 2],
  [['schema', 'show', SCHEMA], 0],
  [['schema', 'check', SCHEMA], 0],
  [['schema', 'diff', SCHEMA, SCHEMA], 0],
  [['schema', 'merge', SCHEMA], 0],
  ...GENERATED.map((name): [string[], number] => [['schema', 'generate', name, SCHEMA], 0]),
  [['vocabulary', 'add', VOCABULARY, '-o', '../cells.terms'], 0],
  [['vocabulary', 'refresh', '../cells.terms', '--dry-run'], 0],
  [['vocabulary', 'check', '../cells.terms'], 0],
  [['config', 'hash-token'], 1],
  [['hash-token'], 1],
  [['help', 'check'], 0],
  [['copy-store', '../first', '../second'], 1],
  [['follow', NOWHERE, '../copy', '--once'], 1],
  [['schema', 'rehearse', '../first', '--schema', SCHEMA], 0],
  [['rehearse', '../first', '--schema', SCHEMA], 0],
  [['review', 'forget', '../first', 'laboratory', '--user', 'none@example.org'], 0],
  [['login', NOWHERE], 1],
  [['logout', NOWHERE], 1],
  [['curate', 'maintenance', NOWHERE, 'laboratory', 'on'], 1],
  [['get', NOWHERE, 'laboratory', 'labid:a'], 1],
  [['delete', NOWHERE, 'laboratory', 'labid:a'], 1],
  [['put', NOWHERE, 'laboratory', 'Person', 'package.json'], 1],
  [['import', NOWHERE, 'laboratory', 'package.json'], 1],
  [['render', NOWHERE, 'laboratory', 'examples/laboratory/site', '../public'], 1],
  ...['list', 'export', 'submissions', 'review list', 'review decisions'].map((name): [string[], number] => [
    [...name.split(' '), NOWHERE, 'laboratory'],
    1,
  ]),
  ...['show', 'accept', 'defer'].map((name): [string[], number] => [
    ['review', name, NOWHERE, 'laboratory', 'ann', 'labid:a'],
    1,
  ]),
  [['review', 'reject', NOWHERE, 'laboratory', 'ann', 'labid:a', '--reason', 'No.'], 1],
  [['review', 'assign', NOWHERE, 'laboratory', 'ann', 'labid:a', '--mine'], 1],
  [['review', 'undo', NOWHERE, 'laboratory', 'x'], 1],
  [['status', '--url', NOWHERE], 1],
  [['api', 'GET', '/server', '--url', NOWHERE], 1],
  ...['dangling', 'faults', 'duplicates', 'moves', 'settings'].map((name): [string[], number] => [
    ['curate', name, 'laboratory', '--url', NOWHERE],
    1,
  ]),
  ...['changes', 'schema changes'].map((name): [string[], number] => [
    [...name.split(' '), 'laboratory', '--url', NOWHERE],
    1,
  ]),
  ...['distinct', 'rename', 'merge'].map((name): [string[], number] => [
    ['curate', name, 'laboratory', 'labid:a', 'labid:b', '--url', NOWHERE],
    1,
  ]),
  [['schema', 'switch', 'laboratory', SCHEMA, '--url', NOWHERE], 1],
  [['schema', 'undo', 'laboratory', 'x', '--url', NOWHERE], 1],
  [['config', 'download', NOWHERE], 1],
  [['config', 'public', 'laboratory', '--url', NOWHERE], 1],
  [['config', 'upload', NOWHERE, 'package.json'], 1],
  ...OF_MODULES.flatMap(([, { runs }]) => runs),
];
