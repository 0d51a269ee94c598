/** The types of requests and responses for clients, read from the schemas of the endpoints. */
import type { FromSchema } from '../../core/http/schema-types.ts';
import type { FILTER_SCHEMAS } from './queue/fields.ts';
import type * as schemas from './schemas.ts';

/** Filters of the review queue as query parameters; several values are separated by commas. */
export type ReviewFilter = {
  readonly [Name in keyof typeof FILTER_SCHEMAS]?: string | boolean | undefined;
};
export type Submission = FromSchema<typeof schemas.rowSchema>;
export type QueuePage = FromSchema<typeof schemas.queuePageSchema>;
export type QueueSummary = FromSchema<typeof schemas.summarySchema>;
/** A submission with all that a decision needs. */
export type ReviewItem = FromSchema<typeof schemas.itemSchema>;
export type Decision = FromSchema<typeof schemas.decisionSchema>;
/** A decision with the title of what was decided. */
export type ListedDecision = FromSchema<typeof schemas.listedDecisionSchema>;
/** A comment of a curator or a submitter on a submission. */
export type Comment = FromSchema<typeof schemas.commentSchema>;
/** A comment of a curator; with `requests`, it asks the submitter for something. */
export type CommentRequest = FromSchema<typeof schemas.reviewCommentSchema>;
/** The outcome of one comment of several. */
export type CommentResult = FromSchema<typeof schemas.commentOutcomeSchema>;
/** Who is to decide on a submission. */
export type Assignment = FromSchema<typeof schemas.assignmentSchema>;
export type AssignmentRequest = FromSchema<typeof schemas.sentAssignmentSchema>;
/** The outcome of one assignment of several. */
export type AssignmentResult = FromSchema<typeof schemas.assignmentOutcomeSchema>;
/** A curator of the collection, to whom submissions can be assigned. */
export type Curator = FromSchema<typeof schemas.curatorsSchema>['items'][number];
/** A decision with the records that it keeps. */
export type DecisionItem = FromSchema<typeof schemas.decisionItemSchema>;
/** A decision about one submission. */
export type DecisionRequest = FromSchema<typeof schemas.proposalSchema>;
export type DecisionResult = FromSchema<typeof schemas.outcomeSchema>;
/** The outcome of one undo of several. */
export type UndoResult = FromSchema<typeof schemas.undoOutcomeSchema>;
/** One decision on every submission that a filter selects. */
export type FilterDecisionRequest = FromSchema<typeof schemas.filterProposalSchema>;
export type FilterDecisionResult = FromSchema<typeof schemas.byFilterSchema>;
/** A submission as its submitter sees it. */
export type OwnSubmission = FromSchema<typeof schemas.ownSchema>;
export type OwnSubmissionItem = FromSchema<typeof schemas.ownItemSchema>;
export type OwnSubmissionPage = FromSchema<typeof schemas.ownPageSchema>;
