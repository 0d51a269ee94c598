/** Checks the machine and the configuration of a store. */
import { chmodSync, existsSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hasFilesIn, NOT_KEPT } from '../../../core/collections/area-files.ts';
import { strayPlaces } from '../../../core/config/edit-collections.ts';
import { isPlainName } from '../../../core/config/names.ts';
import { noteFile } from '../../../core/config/notes.ts';
import { PRIVATE_FOLDER } from '../../../core/config/paths.ts';
import { POLICY_KEYS } from '../../../core/config/policies.ts';
import { aheadOfClock, microsecondsOf } from '../../../core/storage/times.ts';
import { configurationSchemas } from '../../configuration-schemas.ts';
import { MODULES } from '../../modules.ts';
import { type CheckContext, error, type Finding, nameOf, warning } from './finding.ts';

/** The database and the private folder hold secrets. */
export function* permissions({ root }: CheckContext): Generator<Finding> {
  if (process.platform === 'win32') return;
  for (const [name, mode] of [
    [PRIVATE_FOLDER, 0o700],
    ['accession.db', 0o600],
  ] as const) {
    const path = join(root, name);
    if (!existsSync(path) || !(statSync(path).mode & 0o077)) continue;
    const remedy = `chmod ${mode.toString(8)} ${path}, or --fix.`;
    yield {
      ...warning('permissions', `${path} can be read by other users, and holds secrets.`, remedy),
      repair: () => chmodSync(path, mode),
    };
  }
}

/** Files that a service without a module for them leaves as they are. */
export function* filesNotKept({ areas }: CheckContext): Generator<Finding> {
  if (MODULES.some(({ keepsFiles }) => keepsFiles)) return;
  for (const area of areas)
    if (hasFilesIn(area.directory, area.config))
      yield warning(
        'files',
        `${area.directory}: ${NOT_KEPT}`,
        'Remove them, or install the module.',
        nameOf(area),
      );
}

const LEAST_SPACE = 1024 ** 3;

export function* disk({ root }: CheckContext): Generator<Finding> {
  const { bavail, bsize, ffree, files } = statfsSync(root);
  const free = bavail * bsize;
  if (free < LEAST_SPACE) {
    const remedy = 'Free at least 1 GiB: a full disk stops all writes.';
    yield error('disk', `Only ${Math.floor(free / 1024 ** 2)} MiB are free.`, remedy);
  }
  if (files > 0 && ffree / files < 0.05) {
    const remedy =
      'Record directories have one file per record: move the store to a file system with more inodes.';
    yield warning('disk', 'Less than 5 % of the inodes are free.', remedy);
  }
}

/** A clock that was ahead dates changes in the future, and so does one that was set back. */
export async function* clock({ areas }: CheckContext): AsyncGenerator<Finding> {
  for (const area of areas) {
    const [last] = await area.store.entries({ newestFirst: true, limit: 1 });
    const ahead = last && aheadOfClock(microsecondsOf(last.time));
    if (!last || ahead === undefined) continue;
    const remedy =
      'The clock is, or was, wrong: synchronize it (NTP). Later changes follow that date, and keep their own in addition.';
    const message = `The last change is dated ${ahead} in the future, at ${last.time}.`;
    yield warning('clock', message, remedy, nameOf(area));
  }
}

export async function* places({ configuration, root }: CheckContext): AsyncGenerator<Finding> {
  const { keys } = await configurationSchemas();
  for (const message of strayPlaces(configuration, root, keys))
    yield warning('places', message, 'Move the directory into the store and change the configuration.');
}

/** Release 6.3 of the peer opens no configuration that has keys of policies or other names than its own. */
export function* policies({ configuration }: CheckContext): Generator<Finding> {
  for (const [name, config] of Object.entries(configuration.collections)) {
    const keys = POLICY_KEYS.filter((key) => config[key] !== undefined);
    if (keys.length === 0) continue;
    const message = `The collection '${name}' has policies (${keys.join(', ')}), which dump-things-service has from release 6.5 on.`;
    const remedy = 'To go back to release 6.3, remove them: then every reader sees every record.';
    yield warning('policies', message, remedy);
  }
  for (const name of Object.keys(configuration.collections)) {
    if (isPlainName(name)) continue;
    const message = `The name of the collection ${JSON.stringify(name)} has other characters than release 6.3 of dump-things-service accepts.`;
    yield warning('names', message, 'To go back to release 6.3, give it a name of letters, digits, - and _.');
  }
}

/** Zones that no token writes to: their submissions have no owner. */
export function* zones({ configuration, areas }: CheckContext): Generator<Finding> {
  for (const area of areas) {
    const { collection, config } = area;
    const label = /^incoming\/(.*)$/s.exec(area.area)?.[1];
    if (label === undefined) continue;
    const isNamed = Object.values(configuration.tokens).some(
      ({ collections }) =>
        Object.hasOwn(collections, collection) && collections[collection]?.incoming_label === label,
    );
    // Tokens of a forge name their zones themselves.
    if (isNamed || config.auth_sources.some(({ type }) => type !== 'config')) continue;
    const remedy = 'Review its records, or give a token this label.';
    yield warning('zones', `The zone '${label}' belongs to no token.`, remedy, nameOf(area));
  }
}

/** The note of a service that did not end by itself. */
export function* formerService({ root, isRunning, lostLog }: CheckContext): Generator<Finding> {
  const note = join(root, noteFile('service'));
  if (isRunning || !existsSync(note)) return;
  if (lostLog !== undefined) {
    yield error('database', lostLog, 'Put the file back before the next start, or restore the last backup.');
    return;
  }
  const remedy = 'Nothing is lost; the next start completes what was in progress.';
  yield {
    ...warning('service', 'The last service did not stop by itself.', remedy),
    repair: () => rmSync(note, { force: true }),
  };
}
