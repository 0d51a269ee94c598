import { type Endpoint, row } from '../../core/http/endpoint.ts';
import { jsonAnswer, NULL, UNCHANGED } from '../../core/http/endpoints/schemas.ts';
import { enterAsUser, needing } from '../../core/http/enter.ts';
import { collectionUrl, originOf } from '../../core/http/origin.ts';
import { integer, requiredText, textParameter } from '../../core/http/query.ts';
import { replying, replyingTo } from '../../core/http/replying.ts';
import { objectOf, textOrNull, textSchema } from '../../core/shapes.ts';
import { MOST_ENTRIES, sendFeed } from './feed.ts';
import { follow, followedBy, followedSchema, MOST_FOLLOWED, noteVisit, stopFollowing } from './followed.ts';
import { inboxOf, inboxSchema, markRead } from './inbox.ts';
import { showLink, useLink } from './links.ts';
import { MOST_UNREAD } from './most-unread.ts';
import { endFeed, forgetReader, mailOf, mailSchema, makeFeed, putMailSchema, setMail } from './readers.ts';

const path = '/-/{collection}/inbox';
const parameters = {
  after: textParameter('Continues behind the last item of a former page: its `next`.'),
  limit: integer('The number of items.', MOST_UNREAD, 1, MOST_UNREAD),
};

const tag = 'Submissions';
const token = { token: textParameter('The token in the URL.') };
/** The token in the URL is about one thing, and any other is ignored. */
const enterByLink = needing('public', (call) => call);
const htmlPage = (description: string) => ({
  200: { description, content: { 'text/html': { schema: textSchema } } },
});

const feedSchema = objectOf({
  url: { ...textSchema, description: 'The URL of the feed, with its secret; not shown again.' },
});

export const notifyEndpoints: readonly Endpoint[] = [
  row('GET', path, 'inbox', {
    tag,
    summary: 'What has happened that concerns the user, newest first',
    description:
      'Decisions on the own submissions and questions of curators about them; for curators, submissions that wait and what submitters write.',
    answers: { 200: jsonAnswer('The inbox.', inboxSchema) },
    ...replying(enterAsUser, parameters, inboxOf),
  }),
  row('PUT', `${path}/read`, 'inbox.read', {
    tag,
    summary: 'Mark what has happened as read, up to an inbox that was read',
    description: 'The mark is that of the user, in every browser. `null` removes it.',
    answers: { 200: jsonAnswer('It is marked.', NULL) },
    ...replyingTo(
      enterAsUser,
      {},
      {
        schema: objectOf({
          cursor: { ...textOrNull, description: 'The `cursor` of the inbox.' },
        } as const),
        example: { cursor: null },
        limit: 1024,
      },
      async (entered, { cursor }) => {
        await markRead(entered, cursor);
        return null;
      },
    ),
  }),
  row('GET', `${path}/followed`, 'inbox.followed', {
    tag,
    summary: 'What the user follows',
    answers: { 200: jsonAnswer('Records, and the last visit of the collection.', followedSchema) },
    ...replying(enterAsUser, {}, followedBy),
  }),
  row('PUT', `${path}/followed`, 'inbox.follow', {
    tag,
    summary: 'Follow a curated record',
    description: `Changes that others make are in the inbox from now on. A user follows at most ${MOST_FOLLOWED} records.`,
    answers: { 200: jsonAnswer('It is followed.', NULL) },
    refusals: [404, 409],
    ...replyingTo(
      enterAsUser,
      {},
      { schema: objectOf({ pid: textSchema }), example: { pid: 'https://example.org/ada' }, limit: 1 << 16 },
      async (entered, { pid }) => {
        await follow(entered, pid);
        return null;
      },
    ),
  }),
  row('DELETE', `${path}/followed`, 'inbox.stopFollowing', {
    tag,
    summary: 'Follow a record no more',
    answers: { 200: jsonAnswer('It is not followed.', NULL) },
    ...replying(enterAsUser, { pid: requiredText('the pid of the record') }, async (entered, { pid }) => {
      await stopFollowing(entered, pid);
      return null;
    }),
  }),
  row('PUT', `${path}/visit`, 'inbox.visit', {
    tag,
    summary: 'Note up to which change the user has seen the collection',
    description:
      'The note is that of the user, in every browser. `null` ends that they follow the collection.',
    answers: { 200: jsonAnswer('It is noted.', NULL) },
    ...replyingTo(
      enterAsUser,
      {},
      {
        schema: objectOf({
          cursor: {
            type: ['string', 'null'],
            minLength: 1,
            maxLength: 200,
            description: 'A cursor of `GET /-/{collection}/changes`.',
          },
        } as const),
        example: { cursor: '7' },
        limit: 1024,
      },
      async (entered, { cursor }) => {
        await noteVisit(entered, cursor);
        return null;
      },
    ),
  }),
  row('GET', `${path}/mail`, 'inbox.mail', {
    tag,
    summary: 'Read where the user gets the inbox besides the desk',
    answers: { 200: jsonAnswer('The settings.', mailSchema) },
    ...replying(enterAsUser, {}, mailOf),
  }),
  row('PUT', `${path}/mail`, 'inbox.setMail', {
    tag,
    summary: 'Choose whether, when and where the user gets mail',
    description:
      'An address is sent a link first, and nothing else before that is opened. Mail has what the token of this request permits, as long as it does.',
    answers: { 200: jsonAnswer('The settings.', mailSchema) },
    refusals: [409],
    ...replyingTo(
      enterAsUser,
      {},
      {
        schema: putMailSchema,
        example: { mode: 'daily', language: 'en', address: 'ann@example.org' },
        limit: 4096,
      },
      async (entered, wanted) => {
        await setMail(entered, wanted);
        return mailOf(entered);
      },
    ),
  }),
  row('DELETE', `${path}/mail`, 'inbox.forget', {
    tag,
    summary: 'Forget the address and the feed of the user',
    answers: { 200: jsonAnswer('They are forgotten.', NULL) },
    ...replying(enterAsUser, {}, async (entered) => {
      await forgetReader(entered);
      return null;
    }),
  }),
  row('POST', `${path}/feed`, 'inbox.makeFeed', {
    tag,
    summary: 'Make a URL for the Atom feed of the inbox; a former one ends',
    answers: { 200: jsonAnswer('The URL.', feedSchema) },
    refusals: [409],
    ...replying(enterAsUser, {}, async (entered, _, call) => {
      const secret = await makeFeed(entered);
      const base = collectionUrl(originOf(call), entered.collection.name);
      return { url: `${base}/inbox/feed?token=${secret}` };
    }),
  }),
  row('DELETE', `${path}/feed`, 'inbox.endFeed', {
    tag,
    summary: 'End the URL of the feed',
    answers: { 200: jsonAnswer('It is ended.', NULL) },
    ...replying(enterAsUser, {}, async (entered) => {
      await endFeed(entered);
      return null;
    }),
  }),
  row('GET', `${path}/feed`, 'inbox.feed', {
    tag,
    summary: 'Read the inbox as an Atom feed',
    description: `The last ${MOST_ENTRIES} items that the user may see at the moment.`,
    secretQuery: true,
    conditional: true,
    answers: {
      200: { description: 'The feed.', content: { 'application/atom+xml': { schema: textSchema } } },
      ...UNCHANGED,
    },
    ...replying(enterByLink, token, (call, { token: secret }) => sendFeed(call, secret ?? '')),
  }),
  row('GET', `${path}/link`, 'inbox.link', {
    tag,
    summary: 'Show what a link in mail is for',
    secretQuery: true,
    answers: htmlPage('A page with a button.'),
    ...replying(enterByLink, token, (call, { token: signed }) => showLink(call, signed ?? '')),
  }),
  row('POST', `${path}/link`, 'inbox.useLink', {
    tag,
    summary: 'Confirm an address, or end mail to it, by the link in a mail',
    description: 'The one click of RFC 8058: the URL says all, whatever the body has.',
    secretQuery: true,
    answers: htmlPage('It is done.'),
    ...replying(enterByLink, token, (call, { token: signed }) => useLink(call, signed ?? '')),
  }),
];
