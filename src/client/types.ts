/** The types of requests and answers. Those of the service come from its table of endpoints. */
import type {
  SearchPage as AnyPage,
  JsonObject,
  ProblemReport,
  RecordChange,
} from '../core/http/api-types.ts';

export type * from '../core/http/api-types.ts';
export type { JsonObject as RecordObject } from '../core/http/api-types.ts';

/** The types of records by their classes, if a program has none: the module that `schema generate typescript` writes has `Classes`. */
export type AnyClasses = { readonly [className: string]: JsonObject };

/** The names of classes. */
export type ClassName<Classes> = Extract<keyof Classes, string>;

export type Page<T> = {
  readonly items: readonly T[];
  readonly total: number;
  readonly page: number;
  readonly size: number;
  readonly pages: number;
};

/** A page of what a search finds. */
export type SearchPage<T = JsonObject> = Omit<AnyPage, 'items'> & { readonly items: readonly T[] };

/** A record with the entity tag of its state, for conditional requests, and its text, whose numbers keep their digits. */
export type Tagged = {
  readonly record: JsonObject;
  readonly etag: string | undefined;
  readonly text: string;
};

/** The outcome of one object of a batch. */
export type ItemResult = {
  readonly status: number;
  readonly index?: number;
  readonly line?: number;
  readonly pid?: string;
  readonly pids?: readonly string[];
  readonly detail?: string | readonly ProblemReport[];
  /** IRIs of records that the object refers to and that do not exist. */
  readonly dangling?: readonly string[];
  /** The pids of curated records that are likely about the same thing. */
  readonly duplicates?: readonly string[];
  /** Of reads, of conditional stores, and with the status 412: the entity tag of the record as it is now. */
  readonly etag?: string;
  /** Of reads, and with the status 412: the record as it is now, if the token may read it; null if there is none. */
  readonly record?: JsonObject | null;
};

/** A JSON text of a record, and the state that it replaces. */
export type ConditionalText = Pick<StoreOptions, 'ifMatch' | 'ifNoneMatch'> & { readonly text: string };

/** Which changes of a history, and which page of them. */
export type ActivityOptions = {
  readonly author?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** `next` of the page before. */
  readonly before?: number | null | undefined;
  readonly size?: number | undefined;
};

export type StoreOptions = {
  /** Store only if the record still has this entity tag; `*` for any. */
  readonly ifMatch?: string | undefined;
  /** `*`: store only if the pid is not taken. */
  readonly ifNoneMatch?: string | undefined;
  readonly addSubmissionTag?: boolean | undefined;
  /** On whose behalf a curator stores; kept in the history. */
  readonly authorId?: string | undefined;
  readonly batch?: string | undefined;
  readonly message?: string | undefined;
  readonly basedOn?: string | undefined;
};

/** The parameters that modules add to reads: declarations of modules are merged with it. */
// biome-ignore lint/suspicious/noEmptyInterface: declarations of modules are merged with it
export interface ReadParameters {}

export type ReadOptions = ReadParameters & {
  /** As they were at a time (ISO 8601) or a revision. */
  readonly at?: string | number | undefined;
};

export type ListOptions<Name extends string = string> = ReadOptions & {
  /** With its subclasses. */
  readonly className?: Name | undefined;
  readonly matching?: string | undefined;
};

export type ExportOptions = ReadOptions & {
  readonly matching?: string | undefined;
  /** Continues behind the record with this pid. */
  readonly after?: string | undefined;
};

export type ChangesOptions = {
  /** The cursor of the last change that was handled, or `now`. Without it, all changes that are kept. */
  readonly since?: string | undefined;
  /** With its subclasses. */
  readonly className?: string | undefined;
  readonly pid?: string | undefined;
  /** Whether to end when there are no more changes. */
  readonly once?: boolean | undefined;
};

/** A change, and where to go on behind it. */
export type FollowedChange = RecordChange & { readonly cursor: string };

export type SearchOptions<Name extends string = string> = {
  /** Words that a record has to contain, the last one perhaps begun; `"a phrase"`, `-word`, `OR`, `word*`. */
  readonly q?: string | undefined;
  /**
   * By slot: a value that the record has in it, at any depth, or several of which it has one. Tests and groups are as in the
   * query of `/search`: `{ 'born.from': '1990', 'or1.status': 'open', 'or1.due.filled': 'false' }`.
   */
  readonly where?: Readonly<Record<string, string | readonly string[]>> | undefined;
  /** With its subclasses. */
  readonly class?: Name | undefined;
  /** The name of a slot; `-` before it reverses the order. Default: relevance for words, else the pid. */
  readonly sort?: string | undefined;
  readonly page?: number | undefined;
  readonly size?: number | undefined;
  /** How many matches are counted from the page on, if records have to be read (1–1,000,000, default 1,000). */
  readonly count?: number | undefined;
  /** Whether `highlights` of the response has the words that were looked for, in the title and a snippet of each record. */
  readonly highlight?: boolean | undefined;
  /** Slots whose values are counted in all that is found, for `facets` of the page: up to 10. */
  readonly facet?: string | readonly string[] | undefined;
  /** Whether each facet is counted without the values that `where` has for its slot, so that others can be added to them. */
  readonly alternatives?: boolean | undefined;
};
