/** The part of a module in a collection: all that an open collection knows of the module. */
import type { Projection } from '../work/projections.ts';

export interface CollectionPart {
  /** Follow the areas of the collection behind the commit, in a process that writes. */
  readonly projections?: readonly Projection[];
  /** Returns what does not work, as clauses: `1 webhook is disabled`. The state of the service needs no token. */
  health?(): Promise<readonly string[]>;
  /** Ends what runs for the collection, before its areas close. */
  close?(): Promise<void>;
}

/** Makes the parts of a collection that opens, by the names of their modules. */
export type Attach<Collection> = (collection: Collection) => ReadonlyMap<string, CollectionPart>;

/**
 * Finds the part of a module. Keys are in a file without imports, so that endpoints of the module can use them.
 *
 * @template Part the type of the part
 */
export type PartKey<Part extends CollectionPart> = {
  readonly name: string;
  /** Carries the type, and has no value. */
  readonly part?: Part;
};

export function partKey<Part extends CollectionPart>(name: string): PartKey<Part> {
  return { name };
}
