/** The logs of areas as they are read when a store of the peer is adopted, and copied when one is exported. */
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AreaLog, AreaLogs } from '../../core/collections/area-logs.ts';
import { locate, PRIVATE_FOLDER } from '../../core/config/paths.ts';
import { CONFIGURATION_LOG } from '../../core/config/store-directory.ts';
import { setCursor } from '../../core/storage/cursors.ts';
import { auditCursor } from './git/export.ts';
import { git } from './git/git.ts';
import { BRANCH, PID_FILE } from './git/layout.ts';
import { countChanges, countCommits, formerPosition, readGitLog } from './git/read-log.ts';
import { makeRepository } from './git/repository.ts';

export const areaLogs: AreaLogs = {
  of: ({ audit_backends = [] }, root) =>
    audit_backends.map(({ path }) => areaLog(path, locate(root, path, 'audit-path'))),
  ofConfiguration: (root) => areaLog(CONFIGURATION_LOG, join(root, PRIVATE_FOLDER, CONFIGURATION_LOG)),
};

/** @param name as it is configured */
function areaLog(name: string, directory: string): AreaLog {
  return {
    directory,
    // The first commit has no change.
    hasChanges: async () => (await countCommits(directory)) > 1,
    count: () => countChanges(directory),
    changes: (after, options) => readGitLog(directory, after, options),
    formerPosition: (area) => formerPosition(directory, area),
    followFrom: (draft, area, revision) =>
      setCursor(draft, auditCursor(name), area, [revision, String(revision)]),
    copyTo: (to) => copyLog(directory, to),
  };
}

/** Copies the branch. git itself does it, since a service may write to the log. */
async function copyLog(from: string, to: string): Promise<void> {
  if (existsSync(to) || !existsSync(from) || (await countCommits(from)) === 0) return;
  await makeRepository(to);
  await git(from, ['push', '--quiet', to, `${BRANCH}:${BRANCH}`]);
  for (const name of [PID_FILE, 'config'])
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name));
}
