/** The types of requests and responses for clients, read from the schemas of the endpoint table. */
import type { changeSchema } from '../collections/feed.ts';
import type { linksSchema } from '../collections/links.ts';
import type {
  policyDryRunSchema,
  policyOverviewSchema,
  readersSchema,
} from '../collections/policy-report.ts';
import type { settingsSchema } from '../collections/settings.ts';
import type { jobSchema } from '../work/jobs.ts';
import type * as changes from './endpoints/changes.ts';
import type * as classes from './endpoints/classes.ts';
import type * as history from './endpoints/history.ts';
import type * as me from './endpoints/me.ts';
import type * as publicAccess from './endpoints/public-access.ts';
import type * as shared from './endpoints/schemas.ts';
import type * as search from './endpoints/search.ts';
import type * as service from './endpoints/service.ts';
import type * as status from './endpoints/status.ts';

import type { FromSchema } from './schema-types.ts';

export type { Json, JsonObject } from '../shapes.ts';
export type { ProblemReport, SlotRange } from './schema-types.ts';

export type Me = FromSchema<typeof me.meSchema>;
export type ClassSummary = FromSchema<typeof classes.classSummarySchema>;
export type ClassDescription = FromSchema<typeof classes.classSchema>;
export type SlotDescription = ClassDescription['slots'][number];
export type TitlesRequest = FromSchema<typeof classes.pidsSchema>;
export type Titles = FromSchema<typeof classes.titlesSchema>;
/** One change of an area, as a caller has seen it. */
export type RecordChange = FromSchema<typeof changeSchema>;
export type ChangesPage = FromSchema<typeof changes.changesSchema>;
export type HistoryEntry = FromSchema<typeof history.historyEntrySchema>;
export type Health = FromSchema<typeof service.healthSchema>;
export type ServerInformation = FromSchema<typeof shared.serverSchema>;
export type SearchPage = FromSchema<typeof search.searchSchema>;
export type Links = FromSchema<typeof linksSchema>;
export type Job = FromSchema<typeof jobSchema>;
export type Status = FromSchema<typeof status.statusSchema>;
export type CollectionSettings = FromSchema<typeof settingsSchema>;
/** A page of the changes of an area. */
export type Activity = FromSchema<typeof history.activitySchema>;
export type PolicyOverview = FromSchema<typeof policyOverviewSchema>;
/** Who sees a record; an object or null. */
export type Readers = FromSchema<typeof readersSchema>;
/** A dry run of other policies: what callers would gain and lose. */
export type PolicyDryRun = FromSchema<typeof policyDryRunSchema>;
/** What everybody reads of a collection, or would read. */
export type PublicAccess = FromSchema<typeof publicAccess.publicAccessSchema>;
/** A difference between base, curated record and submission. */
export type SubmissionDifference = FromSchema<typeof shared.differenceSchema>;
