/** Releases in the catalog of a collection. */
import type { Grant } from '../../core/access/grant.ts';
import type { Collection } from '../../core/collections/collection.ts';
import type { Dataset, DatasetSource } from '../publish/datasets.ts';
import { ARCHIVE } from './archive-name.ts';
import { listReleases, type Release } from './releases.ts';

/** The files of a release that are distributions. */
const DISTRIBUTIONS = [ARCHIVE, 'records.jsonl', 'records.nq'];

/** Whether a caller sees releases: each has every curated record, so callers from whom policies may hide some see none. */
export function seesReleases(collection: Collection, grant: Grant): boolean {
  return grant.permissions.curate || collection.visibilityOf(grant) === undefined;
}

export function releaseDatasets(collection: Collection): DatasetSource {
  return {
    async datasets(grant) {
      const all = seesReleases(collection, grant) ? await listReleases(collection) : [];
      return all.flatMap((release) =>
        release.state === 'done' && release.made ? [datasetOf(release, release.made)] : [],
      );
    },
  };
}

function datasetOf(
  { name, notes, time, publish }: Release,
  { files, size, digest }: NonNullable<Release['made']>,
): Dataset {
  const all = [{ path: ARCHIVE, mediaType: 'application/zip', size, digest }, ...files];
  return {
    id: `release-${name}`,
    version: name,
    time,
    license: publish.license,
    description: notes,
    files: all
      .filter(({ path }) => DISTRIBUTIONS.includes(path))
      .map(({ path, mediaType, size, digest }) => ({
        title: `${name}: ${path}`,
        path: `releases/${name}/${path}`,
        mediaType,
        size,
        digest,
      })),
  };
}
