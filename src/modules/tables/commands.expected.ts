/** How a test runs the commands in the package. */
import { type PackageRun, SCHEMA } from '../../../test/cli/package-run.ts';

export const runs: readonly PackageRun[] = [
  [['template', 'Person', '--schema', SCHEMA, '-o', '../p.xlsx'], 0],
];
