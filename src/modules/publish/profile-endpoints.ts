/** The dry run of profiles. */
import { type Endpoint, row } from '../../core/http/endpoint.ts';
import { jsonAnswer } from '../../core/http/endpoints/schemas.ts';
import { enterAsSteward } from '../../core/http/enter.ts';
import { replyingTo } from '../../core/http/replying.ts';
import { refusal } from '../../core/json-schema.ts';
import { trialSchema, tryProfiles } from './profile-trial.ts';
import { profilesSchema } from './publishing.ts';
import { profileProblems } from './settings.ts';

export const profileEndpoints: readonly Endpoint[] = [
  row('POST', '/-/{collection}/profiles/try', 'profiles.try', {
    tag: 'Stewardship',
    changesNothing: true,
    summary: 'Report what the vocabularies of publications cannot express of the curated records',
    answers: { 200: jsonAnswer('A report for each vocabulary.', trialSchema) },
    ...replyingTo(
      enterAsSteward,
      {},
      { schema: profilesSchema, example: {}, limit: 128 * 1024 },
      async ({ collection }, texts, _, { service }) => {
        const problems = profileProblems(collection.schema, texts, 'body');
        if (problems.length > 0) throw refusal('payload_invalid', problems);
        return tryProfiles(collection, service.pool, texts);
      },
    ),
  }),
];
