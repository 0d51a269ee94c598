/** How a test runs the commands in the package. */
import type { PackageRun } from '../../../test/cli/package-run.ts';

export const runs: readonly PackageRun[] = [[['export-store', '../first', '../exported'], 0]];
