/** The types of responses for clients, read from the schemas of the endpoints. */
import type { FromSchema } from '../../core/http/schema-types.ts';
import type { followedSchema } from './followed.ts';
import type { inboxSchema } from './inbox.ts';
import type { mailSchema, putMailSchema } from './readers.ts';

export type Inbox = FromSchema<typeof inboxSchema>;
export type InboxItem = Inbox['items'][number];
export type InboxMail = FromSchema<typeof mailSchema>;
export type PutInboxMail = FromSchema<typeof putMailSchema>;
export type Followed = FromSchema<typeof followedSchema>;
