/**
 * Submissions and decisions on them for clients: `review` has what curators need, `submissions` what submitters need.
 *
 * ```ts
 * import { review, submissions } from 'accession/client/review';
 *
 * const { total } = await laboratory.use(review).summary();
 * const own = await laboratory.use(submissions).list({ status: 'rejected' });
 * ```
 */
import type { Http, Query } from '../../client/http.ts';
import type { Page } from '../../client/types.ts';
import type {
  Assignment,
  AssignmentRequest,
  AssignmentResult,
  Comment,
  CommentRequest,
  CommentResult,
  Curator,
  Decision,
  DecisionItem,
  DecisionRequest,
  DecisionResult,
  FilterDecisionRequest,
  FilterDecisionResult,
  ListedDecision,
  OwnSubmissionItem,
  OwnSubmissionPage,
  QueuePage,
  QueueSummary,
  ReviewFilter,
  ReviewItem,
  UndoResult,
} from './api-types.ts';

export type * from './api-types.ts';

type Paging = { page?: number | undefined; size?: number | undefined };

/** The methods for curators. */
export function review(http: Http, path: string) {
  const own = `${path}/review`;
  const decisions = `${own}/decisions`;
  return {
    /** A page of the queue; `next` continues behind the last row, whatever is decided meanwhile. */
    list: (
      filter?: ReviewFilter &
        Paging & { [Name in 'sort' | 'after' | 'around_label' | 'around_pid']?: string | undefined },
    ): Promise<QueuePage> => http.json('GET', `${own}/`, { query: filter }),
    /** Counts of the queue by field. */
    summary: (filter?: ReviewFilter): Promise<QueueSummary> =>
      http.json('GET', `${own}/summary`, { query: filter }),
    /** One submission with all that a decision needs. */
    item: (label: string, pid: string): Promise<ReviewItem> =>
      http.json('GET', `${own}/item`, { query: { label, pid } }),
    /** Comments on a submission, for its submitters. */
    comment: (comment: CommentRequest): Promise<Comment> =>
      http.json('POST', `${own}/comments`, { json: comment }),
    /** Comments on several submissions, up to 1,000, each on its own. */
    commentAll: async (json: readonly CommentRequest[]): Promise<CommentResult[]> =>
      (await http.json<{ results: CommentResult[] }>('POST', `${own}/comments`, { json })).results,
    /** Says who is to decide on a submission: a curator of the collection, or null. */
    assign: (assignment: AssignmentRequest): Promise<Assignment> =>
      http.json('POST', `${own}/assignments`, { json: assignment }),
    /** Assigns several submissions, up to 1,000, each on its own. */
    assignAll: async (json: readonly AssignmentRequest[]): Promise<AssignmentResult[]> =>
      (await http.json<{ results: AssignmentResult[] }>('POST', `${own}/assignments`, { json })).results,
    /** Who can be assigned. */
    curators: async (): Promise<Curator[]> =>
      (await http.json<{ items: Curator[] }>('GET', `${own}/curators`)).items,
    /** Decides on one or several submissions, each on its own. */
    decide: async (json: readonly DecisionRequest[]): Promise<DecisionResult[]> =>
      (await http.json<{ results: DecisionResult[] }>('POST', decisions, { json })).results,
    /** Makes one decision. @throws ClientError with why it is refused */
    decideOne: (json: DecisionRequest): Promise<Decision> => http.json('POST', decisions, { json }),
    /** Makes one decision on every submission that a filter selects, up to 1,000 at a time; `next` continues behind them. */
    decideByFilter: (json: FilterDecisionRequest): Promise<FilterDecisionResult> =>
      http.json('POST', `${decisions}/by-filter`, { json }),
    /** Undoes a decision and those made in the same step. */
    undo: (id: string): Promise<Decision> => http.json('POST', `${decisions}/${encodeURIComponent(id)}/undo`),
    /** Undoes several decisions in the given order, up to 1,000, each on its own with those made in the same step. */
    undoAll: async (json: readonly string[]): Promise<UndoResult[]> =>
      (await http.json<{ results: UndoResult[] }>('POST', `${decisions}/undo`, { json })).results,
    decisions: (filter?: Query): Promise<Page<ListedDecision>> =>
      http.json('GET', decisions, { query: filter }),
    decision: (id: string): Promise<DecisionItem> =>
      http.json('GET', `${decisions}/${encodeURIComponent(id)}`),
  };
}

type OfSubmissions = 'status' | 'class' | 'batch' | 'requested' | 'matching' | 'q' | 'since';

/** The methods for submitters, about their own submissions. */
export function submissions(http: Http, path: string) {
  return {
    list: (filter?: Paging & { [Name in OfSubmissions]?: string | undefined }): Promise<OwnSubmissionPage> =>
      http.json('GET', `${path}/submissions/`, { query: filter }),
    item: (pid: string): Promise<OwnSubmissionItem> =>
      http.json('GET', `${path}/submissions/item`, { query: { pid } }),
    /** Comments on an own submission, for curators: answers what they have asked. */
    comment: (pid: string, text: string): Promise<Comment> =>
      http.json('POST', `${path}/submissions/comments`, { json: { pid, text } }),
  };
}
