/** The setting `publish` of a collection. */
import type { SettingKeys } from '../../collections/settings.ts';
import type { Problem } from '../../errors.ts';
import type { Schema } from '../../schema/schema.ts';
import { problemsOfProfiles } from './profiles.ts';
import { type ProfileTexts, type PublicationMetadata, publishingSchema } from './publishing.ts';

declare module '../../collections/settings.ts' {
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
