/** The setting `publish` of a collection. */
import type { SettingKeys } from '../../core/collections/settings.ts';
import type { Problem } from '../../core/errors.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { problemsOfProfiles } from './profiles.ts';
import { type ProfileTexts, type PublicationMetadata, publishingSchema } from './publishing.ts';

declare module '../../core/collections/settings.ts' {
  interface ModuleSettings {
    publish: PublicationMetadata;
  }
}

export const settings: SettingKeys = {
  publish: {
    schema: publishingSchema,
    problems: (schema, value) =>
      profileProblems(schema, (value as PublicationMetadata).profiles, 'body', 'publish', 'profiles'),
  },
};

/** @param path of the profiles, which begins with `body` */
export function profileProblems(
  schema: Schema,
  profiles: ProfileTexts = {},
  ...path: readonly string[]
): Problem[] {
  return problemsOfProfiles(schema, profiles).map(([name, msg]) => ({
    type: 'value_error',
    msg,
    loc: [...path, name],
  }));
}
