/**
 * The areas of a collection in a database. The configured paths are their names, so that collections share areas just as
 * they share directories. Links on the disk of an instance play no part.
 */
import { ServiceError } from '../../errors.ts';
import type { CollectionLocation, CollectionStorage } from '../collection-storage.ts';
import type { RecordStore } from '../store.ts';
import { areasBelow, hasArea } from './area.ts';
import { databaseFailure } from './failures.ts';
import type { PostgresqlStores } from './stores.ts';

/** @param open opens the store of the area of a path */
export function databaseAreas(
  location: CollectionLocation,
  stores: PostgresqlStores,
  open: (path: string) => Promise<RecordStore>,
): CollectionStorage {
  const pathOf = (label: string | null) => {
    const path = label === null ? location.curated : `${location.incoming}/${label}`;
    // Refuses labels that can't name a zone.
    if (label !== null) location.locate(label);
    if (/^(\.\.)?(\/|$)/.test(stores.areaOf(path))) {
      throw new ServiceError(
        'path_outside_store',
        `The path ${JSON.stringify(path)} leads out of the store.`,
      );
    }
    return path;
  };
  const revisions = async (): Promise<ReadonlyMap<string, number>> => {
    if (location.incoming === null) return new Map();
    const zones = stores.areaOf(location.incoming);
    const areas = await areasBelow(stores.database, zones).catch((error) => {
      throw databaseFailure(error, 'Listing the zones');
    });
    const found = areas.map(({ path, revision }) => [path.slice(zones.length + 1), revision] as const);
    return new Map(found.filter(([label]) => !label.includes('/')));
  };
  return {
    open: async (label) => open(pathOf(label)),
    revisions,
    labels: async () => [...(await revisions()).keys()],
    exists: (label) =>
      hasArea(stores.database, stores.areaOf(pathOf(label))).catch((error) => {
        throw databaseFailure(error, 'Looking for the zone');
      }),
    keyOf: (label) => stores.areaOf(pathOf(label)),
    isCurated: (label) => stores.areaOf(pathOf(label)) === stores.areaOf(location.curated),
  };
}
