/** The areas of a collection, as the rooms that change many records see them. A collection is one of these. */
import { compareCodePoints } from '#linkml/json.ts';
import type { Schema } from '../schema/schema.ts';
import type { Database, ReadDatabase } from '../storage/database.ts';
import { PlaceIndex, type Places } from '../storage/places.ts';
import type { Actor, ReadStore, RecordStore } from '../storage/store.ts';
import type { Pool } from '../work/pool.ts';
import { yielder } from '../yield.ts';

export type { Actor } from '../storage/store.ts';

export type CollectionStores = {
  readonly name: string;
  readonly schema: Schema;
  readonly database: Database;
  readonly curated: RecordStore;
  /** Where long records are read; without one, here. */
  readonly pool?: Pool;
  readonly zones: {
    /** The path below which the zones are; empty if the collection has none. */
    readonly path: string;
    /** All zones that were ever written to, each under the first of its labels. */
    written(): Promise<readonly { readonly label: string; readonly area: number }[]>;
    /** The labels of the zone with a path; none if the path is of no zone. */
    labelsAt(path: string): Iterable<string>;
    /** Where the zones are, as places of areas. */
    readonly places: readonly string[];
    /** The zone of a label, if it was ever written to. */
    existing(label: string): Promise<{ readonly store: RecordStore } | undefined>;
  };
};

/** The stores of a collection for requests that only read or validate: none of their members writes. */
export type ReadStores = Omit<CollectionStores, 'database' | 'curated' | 'zones'> & {
  readonly database: ReadDatabase;
  readonly curated: ReadStore;
  readonly zones: Omit<CollectionStores['zones'], 'existing'> & {
    existing(label: string): Promise<{ readonly store: ReadStore } | undefined>;
  };
};

/** An area by its name in responses: `curated` or `incoming/<label>`. */
type NamedArea<Store extends ReadStore = RecordStore> = {
  readonly area: string;
  readonly store: Store;
};

/** As whom the service itself writes. */
export const SERVICE: Actor = { committer: 'accession', author: 'accession', role: 'service' };

/** The curated area, then every zone that was written to, each once, in the order of their labels. */
export async function areasOf<Store extends ReadStore>({
  curated,
  zones,
}: {
  readonly curated: Store;
  readonly zones: Pick<ReadStores['zones'], 'written'> & {
    existing(label: string): Promise<{ readonly store: Store } | undefined>;
  };
}): Promise<NamedArea<Store>[]> {
  const areas: NamedArea<Store>[] = [{ area: 'curated', store: curated }];
  const written = (await zones.written()).map(({ label }) => label).sort(compareCodePoints);
  const yieldIfDue = yielder();
  for (const label of written) {
    await yieldIfDue();
    const zone = await zones.existing(label);
    if (zone) areas.push({ area: `incoming/${label}`, store: zone.store });
  }
  return areas;
}

/** The places of all areas of a collection. */
export function placesOf({ curated, zones }: Pick<ReadStores, 'curated' | 'zones'>): Places {
  return [...new Set([curated.area.path, ...zones.places])];
}

/** Finds the collections that have an area: several may share one. */
export function areaIndex<C extends Pick<ReadStores, 'curated' | 'zones'>>(
  collections: Iterable<C>,
): PlaceIndex<C> {
  const index = new PlaceIndex<C>();
  for (const collection of collections) index.add(placesOf(collection), collection);
  return index;
}
