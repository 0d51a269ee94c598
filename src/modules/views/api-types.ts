/** The types of requests and responses for clients, read from the schemas of the endpoints. */
import type { FromSchema } from '../../core/http/schema-types.ts';
import type { viewSchema } from './views.ts';

/** A query of Browse in the desk under a name. */
export type SavedView = FromSchema<typeof viewSchema>;
