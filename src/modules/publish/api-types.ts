/** The types of requests and responses for clients, read from the schemas of the endpoints. */
import type { FromSchema } from '../../core/http/schema-types.ts';
import type { trialSchema } from './profile-trial.ts';
import type { profilesSchema, publishingSchema } from './publishing.ts';

/** The metadata of a published collection. */
export type PublicationMetadata = FromSchema<typeof publishingSchema>;
/** Derivations by vocabulary, as YAML. */
export type Profiles = FromSchema<typeof profilesSchema>;
/** What a vocabulary cannot express of the curated records. */
export type ProfileTrial = FromSchema<typeof trialSchema>[number];
