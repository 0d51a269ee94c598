/** The areas that stewards look after, as this room sees them. A collection is one of these. */
import { ServiceError } from '../errors.ts';
import type { Schema } from '../schema/schema.ts';
import type { Actor, RecordStore } from '../storage/store.ts';

export type { Actor } from '../storage/store.ts';

export type StewardedZone = {
  readonly label: string;
  readonly store: RecordStore;
  readonly isCurated: boolean;
};

/** What is looked after: a collection with its schema of today. */
export type Stewarded = {
  readonly name: string;
  readonly schema: Schema;
  readonly curated: RecordStore;
  readonly zones: {
    readonly exist: boolean;
    labels(): Promise<string[]>;
    open(label: string): Promise<StewardedZone>;
    opened(): readonly StewardedZone[];
  };
};

/** An area by its name in responses: `curated` or `incoming/<label>`. */
export type NamedArea = { readonly area: string; readonly store: RecordStore };

/** As whom the service itself writes. */
export const SERVICE: Actor = { committer: 'accession', author: 'accession', role: 'service' };

/** Lets others have their turn; see the context of jobs. */
export type Turn = {
  breathe(): Promise<void>;
  readonly stopping: boolean;
  /** Up to which revision of its area the work has come. */
  reached?(revision: number): void;
};

/** The curated area, then every zone that is another area, each opened when its turn comes. */
export async function* areasOf({ curated, zones }: Stewarded): AsyncGenerator<NamedArea> {
  yield { area: 'curated', store: curated };
  if (!zones.exist) return;
  for (const label of await zones.labels()) {
    const zone = await zones.open(label);
    if (!zone.isCurated) yield { area: `incoming/${label}`, store: zone.store };
  }
}

/** The area of a name. @throws ServiceError `label_unknown` */
export async function areaNamed(stewarded: Stewarded, name: string): Promise<RecordStore> {
  const { curated, zones } = stewarded;
  if (name === 'curated') return curated;
  const label = name.startsWith('incoming/') ? name.slice('incoming/'.length) : undefined;
  if (label !== undefined && zones.exist && (await zones.labels()).includes(label))
    return (await zones.open(label)).store;
  throw new ServiceError('label_unknown', `The collection '${stewarded.name}' has no area '${name}'.`);
}
