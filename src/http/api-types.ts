/** The types of requests and responses for clients, read from the schemas of the endpoint table. */
import type { FILTER_SCHEMAS } from '../review/fields.ts';
import type { changeSchema, changesSchema } from './endpoints/changes.ts';
import type {
  classSchema,
  classSummarySchema,
  pidsSchema,
  slotRangeSchema,
  titlesSchema,
} from './endpoints/classes.ts';
import type {
  danglingSchema,
  duplicatesSchema,
  faultsSchema,
  linksSchema,
  profilesSchema,
  settingsSchema,
  trialSchema,
} from './endpoints/curate.ts';
import type { activitySchema, historyEntrySchema } from './endpoints/history.ts';
import type { invitationsSchema, inviteSchema, newInvitationSchema } from './endpoints/invitations.ts';
import type { meSchema } from './endpoints/me.ts';
import type { moveSchema, movesSchema } from './endpoints/moves.ts';
import type { policyDryRunSchema, policyOverviewSchema, readersSchema } from './endpoints/policies.ts';
import type { rehearsalSchema, switchSchema } from './endpoints/rehearsals.ts';
import type { releaseSchema } from './endpoints/releases.ts';
import type {
  byFilterSchema,
  commentSchema,
  decisionItemSchema,
  decisionSchema,
  differenceSchema,
  filterProposalSchema,
  itemSchema,
  outcomeSchema,
  ownItemSchema,
  ownSchema,
  proposalSchema,
  queuePageSchema,
  reviewCommentSchema,
  rowSchema,
  summarySchema,
} from './endpoints/review-schemas.ts';
import type { problemSchema, serverSchema } from './endpoints/schemas.ts';
import type { searchSchema } from './endpoints/search.ts';
import type { healthSchema } from './endpoints/service.ts';
import type { jobSchema, statusSchema } from './endpoints/status.ts';
import type { tableResultSchema } from './endpoints/tables.ts';
import type { termSchema } from './endpoints/terms.ts';
import type {
  deliveriesSchema,
  outcomeOfSendSchema,
  webhookConfigSchema,
  webhookSchema,
} from './endpoints/webhooks.ts';
import type { FromSchema } from './from-schema.ts';

export type { Json, JsonObject } from './from-schema.ts';

export type Me = FromSchema<typeof meSchema>;
export type ClassSummary = FromSchema<typeof classSummarySchema>;
export type ClassDescription = FromSchema<typeof classSchema>;
/** Whom an administrator invites. */
export type Invite = FromSchema<typeof inviteSchema>;
/** An invitation of a person to a collection. */
export type Invitation = FromSchema<typeof invitationsSchema>['items'][number];
/** An invitation with its secret, which is shown once. */
export type NewInvitation = FromSchema<typeof newInvitationSchema>;
/** A slot of a described class. */
export type SlotDescription = ClassDescription['slots'][number];
/** The values that a slot takes. */
export type SlotRange = FromSchema<typeof slotRangeSchema>;
export type Term = FromSchema<typeof termSchema>;
export type TitlesRequest = FromSchema<typeof pidsSchema>;
export type Titles = FromSchema<typeof titlesSchema>;
/** One change of an area, as a caller has seen it. */
export type RecordChange = FromSchema<typeof changeSchema>;
export type ChangesPage = FromSchema<typeof changesSchema>;
export type HistoryEntry = FromSchema<typeof historyEntrySchema>;
export type Health = FromSchema<typeof healthSchema>;
export type ServerInformation = FromSchema<typeof serverSchema>;
export type ProblemReport = FromSchema<typeof problemSchema>;
export type SearchPage = FromSchema<typeof searchSchema>;
export type Links = FromSchema<typeof linksSchema>;
export type Job = FromSchema<typeof jobSchema>;
export type Status = FromSchema<typeof statusSchema>;
export type Rehearsal = FromSchema<typeof rehearsalSchema>;
export type SchemaSwitch = FromSchema<typeof switchSchema>;
/** A named, immutable state of a curated area. */
export type Release = FromSchema<typeof releaseSchema>;
export type TableResult = FromSchema<typeof tableResultSchema>;
export type Duplicates = FromSchema<typeof duplicatesSchema>;
export type Dangling = FromSchema<typeof danglingSchema>;
export type Faults = FromSchema<typeof faultsSchema>;
export type CollectionSettings = FromSchema<typeof settingsSchema>;
/** Derivations in YAML, by the vocabulary that they are for. */
export type Profiles = FromSchema<typeof profilesSchema>;
/** What a vocabulary cannot express of the curated records. */
export type ProfileTrial = FromSchema<typeof trialSchema>[number];
export type Webhook = FromSchema<typeof webhookSchema>;
/** What a webhook is set to. */
export type WebhookConfig = FromSchema<typeof webhookConfigSchema>;
export type WebhookDelivery = FromSchema<typeof deliveriesSchema>['items'][number];
/** What the receiver of a webhook has answered. */
export type SendOutcome = FromSchema<typeof outcomeOfSendSchema>;
export type Moves = FromSchema<typeof movesSchema>;
/** A rename or merge, with the records that it changes. */
export type MoveReport = FromSchema<typeof moveSchema>;
/** A page of the changes of an area. */
export type Activity = FromSchema<typeof activitySchema>;
/** The policies of a collection. */
export type PolicyOverview = FromSchema<typeof policyOverviewSchema>;
/** Who sees a record; an object or null. */
export type Readers = FromSchema<typeof readersSchema>;
/** What other policies would mean for callers. */
export type PolicyDryRun = FromSchema<typeof policyDryRunSchema>;

/** Filters of the review queue as query parameters; several values are separated by commas. */
export type ReviewFilter = {
  readonly [Name in keyof typeof FILTER_SCHEMAS]?: string | boolean | undefined;
};
/** A row of the review queue. */
export type Submission = FromSchema<typeof rowSchema>;
export type QueuePage = FromSchema<typeof queuePageSchema>;
export type QueueSummary = FromSchema<typeof summarySchema>;
/** A submission with all that a decision needs. */
export type ReviewItem = FromSchema<typeof itemSchema>;
/** A difference between base, curated record and submission. */
export type SubmissionDifference = FromSchema<typeof differenceSchema>;
export type Decision = FromSchema<typeof decisionSchema>;
/** What a curator or a submitter has written about a submission. */
export type Comment = FromSchema<typeof commentSchema>;
/** A comment of a curator; with `requests`, it asks the submitter for something. */
export type CommentRequest = FromSchema<typeof reviewCommentSchema>;
/** A decision with the records that it keeps. */
export type DecisionItem = FromSchema<typeof decisionItemSchema>;
/** A decision about one submission. */
export type DecisionRequest = FromSchema<typeof proposalSchema>;
export type DecisionResult = FromSchema<typeof outcomeSchema>;
/** The same decision on what a filter selects. */
export type FilterDecisionRequest = FromSchema<typeof filterProposalSchema>;
export type FilterDecisionResult = FromSchema<typeof byFilterSchema>;
/** A submission as its submitter sees it. */
export type OwnSubmission = FromSchema<typeof ownSchema>;
export type OwnSubmissionItem = FromSchema<typeof ownItemSchema>;
