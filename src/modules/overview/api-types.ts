/** The types of responses for clients, read from the schemas of the endpoints. */
import type { FromSchema } from '../../core/http/schema-types.ts';
import type { activitySchema } from '../review/queue/activity.ts';
import type { overviewSchema, slotValuesSchema, weeksSchema } from './endpoints.ts';

export type Overview = FromSchema<typeof overviewSchema>;
export type SlotValues = FromSchema<typeof slotValuesSchema>;
export type Week = FromSchema<typeof weeksSchema>['items'][number];
export type Activity = FromSchema<typeof activitySchema>;
