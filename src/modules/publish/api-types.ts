/** The types of requests and responses for clients, read from the schemas of the endpoints. */
import type { FromSchema } from '../../core/http/schema-types.ts';
import type { publishingSchema } from './publishing.ts';

/** The metadata of a published collection. */
export type PublicationMetadata = FromSchema<typeof publishingSchema>;
