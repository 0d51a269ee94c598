/** The part of a module in a collection: all that an open collection knows of the module. */
import type { Sample } from '../metrics/metrics.ts';
import type { Companion, Draft } from '../storage/database.ts';
import type { RecordKey } from '../storage/store.ts';
import type { Visibility } from '../storage/visibility.ts';
import type { Projection } from '../work/projections.ts';

export interface CollectionPart {
  /**
   * Opens what the part works with, before the collection is in force, in a process that writes. The collection is not opened if it
   * throws; then the parts are closed.
   */
  open?(opening: Opening): Promise<void>;
  /** Follow the areas of the collection behind the commit, in a process that writes. */
  readonly projections?: readonly Projection[];
  /** Returns what takes part in the transactions of writes to the area with a path. Those of several modules are called in their order. */
  companion?(path: string): Companion | undefined;
  /** Carries over what the module keeps of records, in the transaction that gives the collection another schema. */
  migrate?(draft: Draft, step: SchemaStep): Promise<void>;
  /** Returns the revision of the curated area up to which the part needs no entries any more. Later ones are kept. */
  followed?(): Promise<number>;
  /** Asked only for callers who ask for hints. One module gives them. */
  readonly hints?: Hints;
  /** Asked for records that are not there, and for changes that have deleted some. One module moves records. */
  readonly moves?: Moves;
  /** Returns the gauges of the module for the collection, as they are now. */
  samples?(): Promise<readonly Sample[]>;
  /** Returns what is wrong with files of the part, for administrators. They are in `accession_faults`, too. */
  faults?(): readonly Fault[];
  /** Returns what does not work, as clauses: `1 webhook is disabled`. The state of the service needs no token. */
  health?(): Promise<readonly string[]>;
  /** Ends what runs for the collection, before its areas close. */
  close?(): Promise<void>;
}

type Opening = {
  /** Whether the curated area was just read from its directory: one that is empty was not lost. */
  readonly isAdopted: boolean;
};

export type Fault = {
  /** The file or directory. */
  readonly path: string;
  /** Explains the problem, since when it exists, and its consequences. */
  readonly message: string;
};

/** Points out what is not refused about records that are, or would be, stored. It may not know the last changes of others yet. */
export interface Hints {
  /** @param visibility the records that the caller sees; every record without it */
  of(items: readonly HintedItem[], visibility?: Visibility): Promise<readonly ItemHints[]>;
  /** Identifies everything but the items that hints depend on, for entity tags. */
  version(): Promise<string>;
}

export type HintedItem = {
  /** The records that it becomes, its own first. */
  readonly records: readonly HintedRecord[];
  /** The zone whose records it may refer to, besides curated ones. */
  readonly label?: string | undefined;
};

export type HintedRecord = Omit<RecordKey, 'pid'> & { readonly json: string; readonly links?: string };

export type ItemHints = {
  /** The IRIs that the records of the item refer to, which have no record. */
  readonly dangling: readonly string[];
  /** The pids of curated records that are likely about the same thing. */
  readonly duplicates: readonly string[];
};

export const NO_HINTS: ItemHints = { dangling: [], duplicates: [] };

/** Where records went that were given another pid, or merged into others. */
export interface Moves {
  /** The IRI that the record of a former IRI has now, or had at a revision of the curated area; undefined if it was not moved. */
  movedTo(iri: string, revision?: number): Promise<string | undefined>;
  /** Reads the moves among plans, which entries of the curated area name. */
  movedBy(plans: readonly string[]): Promise<Moved>;
}

/** Returns the pid that a record has now which a plan has deleted, by its IRI and the plan. */
type Moved = (iri: string, plan: string | undefined) => string | undefined;

/** A change of the schema of a collection, or its undo. */
export type SchemaStep = {
  /** Of the schema that the collection has, and of the next one. */
  readonly digests: { readonly from: string; readonly to: string };
  /** Returns a record in the form of the next schema; undefined if it stays as it is. Absent if a change is undone. */
  readonly migrate?: (record: RecordContent, pid: string) => Promise<RecordContent | undefined>;
};

type RecordContent = { readonly className: string; readonly json: string };

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
