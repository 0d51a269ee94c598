/** How a test runs the commands in the package. */
import { NOWHERE, type PackageRun } from '../../../test/cli/package-run.ts';

export const runs: readonly PackageRun[] = [
  [['curate', 'release', 'laboratory', '--url', NOWHERE], 1],
  [['releases', 'laboratory', '--url', NOWHERE], 1],
];
