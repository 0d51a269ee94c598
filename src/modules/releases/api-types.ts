/** The types of requests and responses for clients, read from the schemas of the endpoints. */
import type { FromSchema } from '../../core/http/schema-types.ts';
import type { releaseSchema } from './endpoints.ts';

/** A named state of the curated area. */
export type Release = FromSchema<typeof releaseSchema>;
