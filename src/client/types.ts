/** What a service sends and takes, as types. Those of the service come from its table of endpoints. */

export type {
  ClassDescription,
  ClassSummary,
  Health,
  HistoryEntry,
  Me,
  ServerInformation,
  Titles,
} from '../http/api-types.ts';

/** A JSON value; a record is an object of them. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A record: `pid`, `schema_type` and the slots of its class. */
export type RecordObject = { [key: string]: Json };

export type Page<T> = {
  readonly items: readonly T[];
  readonly total: number;
  readonly page: number;
  readonly size: number;
  readonly pages: number;
};

/** A record with the entity tag of its state, for conditional requests. */
export type Tagged = { readonly record: RecordObject; readonly etag: string | undefined };

/** What became of one object of a batch. */
export type ItemResult = {
  readonly status: number;
  readonly index?: number;
  readonly line?: number;
  readonly pid?: string;
  readonly pids?: readonly string[];
  readonly detail?:
    | string
    | readonly { readonly type: string; readonly msg: string; readonly loc: readonly (string | number)[] }[];
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

export type ListOptions = {
  readonly className?: string | undefined;
  readonly matching?: string | undefined;
};

/** A row of the review queue. */
export type Submission = {
  readonly pid: string;
  readonly class: string;
  readonly label: string;
  readonly submitter: string | null;
  readonly edited_by: string | null;
  readonly submitted_at: string;
  readonly batch: string | null;
  readonly message: string | null;
  readonly state: 'same' | 'new' | 'changed' | 'diverged';
  readonly standing: 'waiting' | 'rejected' | 'deferred';
  readonly digest: string;
  readonly etag: string;
  readonly curated_etag: string | null;
  readonly base_etag: string | null;
  readonly title: string | null;
  readonly valid: boolean;
  readonly differences: number;
  readonly conflicts: number;
  readonly slots: readonly string[];
  readonly others: number;
  readonly last: Decision | null;
};

export type Decision = {
  readonly id: string;
  readonly decision: 'accept' | 'reject' | 'defer';
  readonly label: string;
  readonly pid: string;
  readonly class: string;
  readonly digest: string;
  readonly reason: string | null;
  readonly until: string | null;
  readonly submitter: string | null;
  readonly reviewer: string;
  readonly time: string;
  readonly group: string;
  readonly curated_before: string | null;
  readonly curated_after: string | null;
  readonly undone: { readonly reviewer: string; readonly time: string } | null;
};

/** A difference between base, curated record and submission. */
export type SubmissionDifference = {
  readonly path: string;
  readonly slot: string;
  readonly kind: 'added' | 'removed' | 'changed';
  readonly base: Json;
  readonly curated: Json;
  readonly submitted: Json;
  readonly changed_by: 'submitter' | 'curator' | 'both' | 'unknown';
  readonly conflict: boolean;
};

export type ReviewItem = {
  readonly submitted: RecordObject;
  readonly curated: RecordObject | null;
  readonly base: RecordObject | null;
  readonly differences: readonly SubmissionDifference[];
  readonly merged: RecordObject | null;
  readonly problems: readonly { readonly type: string; readonly msg: string }[];
  readonly decisions: readonly Decision[];
} & Partial<Submission>;

/** What a curator decides about one submission. */
export type DecisionRequest = {
  readonly label: string;
  readonly pid: string;
  readonly digest: string;
  readonly decision: 'accept' | 'reject' | 'defer';
  readonly reason?: string | undefined;
  readonly until?: string | undefined;
  readonly record?: RecordObject | undefined;
  readonly take?: Readonly<Record<string, 'submitted' | 'curated' | 'base'>> | undefined;
  readonly if_curated?: string | null | undefined;
  readonly with_references?: readonly { readonly pid: string; readonly digest: string }[] | undefined;
  readonly overturn?: boolean | undefined;
};

export type DecisionResult = {
  readonly status: number;
  readonly label: string;
  readonly pid: string;
  readonly decision?: Decision;
  readonly detail?: readonly { readonly type: string; readonly msg: string }[];
};

/** A submission as its submitter sees it. */
export type OwnSubmission = {
  readonly pid: string;
  readonly class: string;
  readonly batch: string | null;
  readonly message: string | null;
  readonly submitted_at: string;
  readonly state: string | null;
  readonly status: 'waiting' | 'deferred' | 'rejected' | 'accepted' | 'withdrawn' | 'removed';
  readonly reason: string | null;
  readonly until: string | null;
  readonly decided_at: string | null;
  readonly digest: string;
  readonly title: string | null;
};
