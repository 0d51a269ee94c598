/** The setting `publish` of a collection. */
import type { SettingKeys } from '../../core/collections/settings.ts';
import { type PublicationMetadata, publishingSchema } from './publishing.ts';

declare module '../../core/collections/settings.ts' {
  interface ModuleSettings {
    publish: PublicationMetadata;
  }
}

export const settings: SettingKeys = { publish: { schema: publishingSchema } };
