/** The types of requests and responses for clients, read from the schemas of the endpoints. */
import type { FromSchema } from '../../core/http/schema-types.ts';
import type { JsonObject } from '../../core/shapes.ts';
import type { problemsSchema, rehearsalSchema, switchSchema } from './endpoints.ts';

/** What another schema would mean for the records of a collection. */
export type Rehearsal = FromSchema<typeof rehearsalSchema>;
/** A record with its outcome. */
export type RehearsedRecord = Rehearsal['items'][number];
export type ValidatedObject = FromSchema<typeof problemsSchema>;
export type SchemaSwitch = FromSchema<typeof switchSchema>;

/** The treatment of records by a schema change. */
export type SwitchOptions = {
  readonly patches?: boolean | readonly string[];
  readonly corrections?: Readonly<Record<string, JsonObject>>;
  readonly ifValid?: boolean;
};
