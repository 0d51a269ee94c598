/** The types of requests and responses for clients, read from the schemas of the endpoints. */
import type { FromSchema } from '../../core/http/schema-types.ts';
import type { danglingSchema } from './dangling.ts';
import type { duplicatesSchema } from './duplicates.ts';
import type { faultsSchema } from './endpoints.ts';
import type { IdentifyingSlots } from './identify.ts';
import type { moveReportSchema, movesSchema } from './moves.ts';

export type Duplicates = FromSchema<typeof duplicatesSchema>;
export type Dangling = FromSchema<typeof danglingSchema>;
export type Faults = FromSchema<typeof faultsSchema>;
export type Moves = FromSchema<typeof movesSchema>;
/** A rename or merge, with the records that it changes. */
export type MoveReport = FromSchema<typeof moveReportSchema>;
/** The keys of curation in the settings of a collection. */
export type CurationSettings = { readonly identifying_slots?: IdentifyingSlots };
