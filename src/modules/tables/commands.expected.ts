/** How a test runs the commands in the package. */
import { NOWHERE, type PackageRun, SCHEMA } from '../../../test/cli/package-run.ts';

export const runs: readonly PackageRun[] = [
  [['template', 'Person', '--schema', SCHEMA, '-o', '../p.xlsx'], 0],
  [['import', NOWHERE, 'laboratory', '../p.xlsx'], 1],
];
