import { type Endpoint, inPath, row } from '../../core/http/endpoint.ts';
import { jsonAnswer, NULL } from '../../core/http/endpoints/schemas.ts';
import { enterAsSteward } from '../../core/http/enter.ts';
import { replying, replyingTo } from '../../core/http/replying.ts';
import { listOf, objectOf, textSchema } from '../../core/shapes.ts';
import {
  listSharedLinks,
  newSharedLinkSchema,
  revokeSharedLink,
  sharedLinkSchema,
  shareLink,
} from './shared-links.ts';

const sharedLinksSchema = objectOf({ items: listOf(sharedLinkSchema) });
export const madeSharedLinkSchema = objectOf({
  ...sharedLinkSchema.properties,
  secret: { ...textSchema, description: 'Sent as the token of a request; not shown again.' },
});

const path = '/-/{collection}/shared-links';
const tag = 'Administration';

export const sharedLinkEndpoints: readonly Endpoint[] = [
  row('GET', path, 'sharedLinks', {
    tag,
    summary: 'List the shared links to a collection, those that end first at the beginning',
    answers: { 200: jsonAnswer('The links that work.', sharedLinksSchema) },
    ...replying(enterAsSteward, {}, ({ collection }, _, { service }) => ({
      items: listSharedLinks(service, collection.name),
    })),
  }),
  row('POST', path, 'sharedLinks.create', {
    tag,
    summary: 'Share a link: everybody who has its secret reads the curated records until a day',
    answers: { 200: jsonAnswer('The link with its secret.', madeSharedLinkSchema) },
    refusals: [409],
    ...replyingTo(
      enterAsSteward,
      {},
      { schema: newSharedLinkSchema, example: { title: 'Reviewers of the grant' }, limit: 16 * 1024 },
      ({ collection, by }, wanted, _, { service }) => shareLink(service, collection, wanted, by.author),
    ),
  }),
  row('DELETE', `${path}/{name}`, 'sharedLinks.revoke', {
    tag,
    summary: 'Revoke a shared link',
    answers: { 200: jsonAnswer('It is revoked.', NULL) },
    ...replying(enterAsSteward, {}, async ({ collection, by }, _, call) => {
      await revokeSharedLink(call.service, collection.name, inPath(call, 'name'), by.author);
      return null;
    }),
  }),
];
