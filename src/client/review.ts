/** Submissions and decisions on them: for curators, and for submitters. */
import type { Http, Query } from './http.ts';
import type {
  Comment,
  CommentRequest,
  Decision,
  DecisionItem,
  DecisionRequest,
  DecisionResult,
  FilterDecisionRequest,
  FilterDecisionResult,
  OwnSubmissionItem,
  OwnSubmissionPage,
  Page,
  QueuePage,
  QueueSummary,
  ReviewFilter,
  ReviewItem,
} from './types.ts';

export interface ReviewClient {
  /** A page of the queue; `next` continues behind the last row, whatever is decided meanwhile. */
  list(
    filter?: ReviewFilter & {
      sort?: string | undefined;
      size?: number | undefined;
      page?: number | undefined;
      after?: string | undefined;
      around_label?: string | undefined;
      around_pid?: string | undefined;
    },
  ): Promise<QueuePage>;
  /** Counts of the queue by field. */
  summary(filter?: ReviewFilter): Promise<QueueSummary>;
  /** One submission with all that a decision needs. */
  item(label: string, pid: string): Promise<ReviewItem>;
  /** Comments on a submission, for its submitters. */
  comment(comment: CommentRequest): Promise<Comment>;
  /** Decides on one or several submissions, each on its own. */
  decide(decisions: readonly DecisionRequest[]): Promise<DecisionResult[]>;
  /** Makes one decision. @throws ClientError with why it is refused */
  decideOne(decision: DecisionRequest): Promise<Decision>;
  /** The same decision on what a filter selects, up to 1,000 at a time; `next` continues behind them. */
  decideByFilter(request: FilterDecisionRequest): Promise<FilterDecisionResult>;
  /** Undoes a decision and those made in the same step. */
  undo(id: string): Promise<Decision>;
  decisions(filter?: Query): Promise<Page<Decision>>;
  decision(id: string): Promise<DecisionItem>;
}

export interface SubmissionsClient {
  list(filter?: {
    status?: string | undefined;
    class?: string | undefined;
    batch?: string | undefined;
    requested?: string | undefined;
    matching?: string | undefined;
    q?: string | undefined;
    since?: string | undefined;
    page?: number | undefined;
    size?: number | undefined;
  }): Promise<OwnSubmissionPage>;
  item(pid: string): Promise<OwnSubmissionItem>;
  /** Comments on an own submission, for curators: answers what they have asked. */
  comment(pid: string, text: string): Promise<Comment>;
}

/** @param path the path of the collection below `/-`: `/-/lab` */
export function openReview(http: Http, path: string): ReviewClient {
  const review = `${path}/review`;
  return {
    list: (filter) => http.json('GET', `${review}/`, { query: filter }),
    summary: (filter) => http.json('GET', `${review}/summary`, { query: filter }),
    item: (label, pid) => http.json('GET', `${review}/item`, { query: { label, pid } }),
    comment: (comment) => http.json('POST', `${review}/comments`, { json: comment }),
    async decide(decisions) {
      const { results } = await http.json<{ results: DecisionResult[] }>('POST', `${review}/decisions`, {
        json: decisions,
      });
      return results;
    },
    decideOne: (decision) => http.json('POST', `${review}/decisions`, { json: decision }),
    decideByFilter: (request) => http.json('POST', `${review}/decisions/by-filter`, { json: request }),
    undo: (id) => http.json('POST', `${review}/decisions/${encodeURIComponent(id)}/undo`),
    decisions: (filter) => http.json('GET', `${review}/decisions`, { query: filter }),
    decision: (id) => http.json('GET', `${review}/decisions/${encodeURIComponent(id)}`),
  };
}

/** @param path the path of the collection below `/-` */
export function openSubmissions(http: Http, path: string): SubmissionsClient {
  return {
    list: (filter) => http.json('GET', `${path}/submissions/`, { query: filter }),
    item: (pid) => http.json('GET', `${path}/submissions/item`, { query: { pid } }),
    comment: (pid, text) => http.json('POST', `${path}/submissions/comments`, { json: { pid, text } }),
  };
}
