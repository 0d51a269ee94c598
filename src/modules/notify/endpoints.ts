import { type Endpoint, row } from '../../core/http/endpoint.ts';
import { jsonAnswer, NULL } from '../../core/http/endpoints/schemas.ts';
import { enterAsUser } from '../../core/http/enter.ts';
import { integer, textParameter } from '../../core/http/query.ts';
import { replying, replyingTo } from '../../core/http/replying.ts';
import { objectOf } from '../../core/shapes.ts';
import { inboxOf, inboxSchema, MOST_UNREAD, markRead } from './inbox.ts';

const path = '/-/{collection}/inbox';
const parameters = {
  after: textParameter('Continues behind the last item of a former page: its `next`.'),
  limit: integer('The number of items.', MOST_UNREAD, 1, MOST_UNREAD),
};
const time = {
  type: ['string', 'null'],
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}\\+00:00$',
} as const;

export const notifyEndpoints: readonly Endpoint[] = [
  row('GET', path, 'inbox', {
    tag: 'Submissions',
    summary: 'What has happened that concerns the user, newest first',
    description:
      'Decisions on the own submissions and questions of curators about them; for curators, submissions that wait and what submitters write.',
    answers: { 200: jsonAnswer('The inbox.', inboxSchema) },
    ...replying(enterAsUser, parameters, inboxOf),
  }),
  row('PUT', `${path}/read`, 'inbox.read', {
    tag: 'Submissions',
    summary: 'Mark what has happened up to a time as read',
    description: 'The mark is that of the user, in every browser. `null` removes it.',
    answers: { 200: jsonAnswer('It is marked.', NULL) },
    ...replyingTo(
      enterAsUser,
      {},
      {
        schema: objectOf({ until: { ...time, description: 'The `time` of an item.' } }),
        example: { until: '2026-11-23T14:00:00.000000+00:00' },
        limit: 1024,
      },
      async (entered, { until }) => {
        await markRead(entered, until);
        return null;
      },
    ),
  }),
];
