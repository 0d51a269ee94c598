/** The settings of a collection: keys of the core, and those that modules have. */
import {
  readSettings,
  replaceSettings,
  type SettingKeys,
  settingsFor,
  settingsSchemaWith,
  shownSettings,
} from '../../collections/settings.ts';
import { entityTag } from '../../entity-tag.ts';
import { type Endpoint, row } from '../endpoint.ts';
import { enterAsSteward } from '../enter.ts';
import { preconditionOf } from '../etag.ts';
import { replying, replyingTo } from '../replying.ts';
import { jsonAnswer } from './schemas.ts';

const path = '/-/{collection}/settings';
const tag = 'Stewardship';

export function settingsEndpoints(keys: SettingKeys): readonly Endpoint[] {
  const schema = settingsSchemaWith(keys);
  return [
    row('GET', path, 'settings', {
      tag,
      summary: 'Read the settings of a collection',
      answers: { 200: jsonAnswer('The settings.', schema) },
      ...replying(enterAsSteward, {}, async ({ collection }, _, { reply }) => {
        const settings = shownSettings(await readSettings(collection), schema);
        reply.header('etag', entityTag(settings));
        return settings;
      }),
    }),
    row('PUT', path, 'settings.put', {
      tag,
      conditional: true,
      summary: 'Replace the settings of a collection',
      answers: { 200: jsonAnswer('The settings.', schema) },
      ...replyingTo(
        enterAsSteward,
        {},
        { schema, example: { on_delete: 'refuse' }, limit: 64 * 1024 },
        async ({ collection }, given, _, { request, reply }) => {
          const settings = settingsFor(collection.schema, given, keys, schema);
          await replaceSettings(collection, settings, schema, preconditionOf(request.headers));
          reply.header('etag', entityTag(settings));
          return settings;
        },
      ),
    }),
  ];
}
