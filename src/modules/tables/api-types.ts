/** The types of requests and responses for clients, read from the schemas of the endpoints. */
import type { FromSchema } from '../../core/http/schema-types.ts';
import type { tableResultSchema } from './request.ts';

export type TableResult = FromSchema<typeof tableResultSchema>;
