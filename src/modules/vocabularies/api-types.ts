/** The types of requests and responses for clients, read from the schemas of the endpoints. */
import type { FromSchema } from '../../core/http/schema-types.ts';
import type { termSchema, vocabularySchema } from './endpoints.ts';

/** A vocabulary of a collection, with facts about its snapshot. */
export type VocabularySummary = FromSchema<typeof vocabularySchema>;
/** A term with its names and the terms above it. */
export type Term = FromSchema<typeof termSchema>;
