/** The types of requests and responses for clients, read from the schemas of the endpoints. */
import type { FromSchema } from '../../core/http/schema-types.ts';
import type { madeSharedLinkSchema } from './endpoints.ts';
import type { newSharedLinkSchema, sharedLinkSchema } from './shared-links.ts';

/** Whom a link is for, and until when it works. */
export type NewSharedLink = FromSchema<typeof newSharedLinkSchema>;
/** A link with which everybody reads the curated records of a collection. */
export type SharedLink = FromSchema<typeof sharedLinkSchema>;
/** A shared link with its secret, which is shown once. */
export type MadeSharedLink = FromSchema<typeof madeSharedLinkSchema>;
