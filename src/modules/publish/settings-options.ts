/** Options of `accession curate settings` for what a collection publishes. */
import type { SettingsOfOptions } from '../../cli/module.ts';
import type { PublicationMetadata } from './client.ts';

const TEXTS = ['title', 'publisher', 'license', 'contact', 'base'] as const;

/** What options change of the setting `publish`. */
export const settingsOfOptions: SettingsOfOptions = (options) => {
  const texts = TEXTS.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]] as const]));
  if (texts.length === 0) return undefined;
  return (stored) => {
    const { publish } = stored as { publish?: PublicationMetadata };
    return { ...stored, publish: { ...publish, ...Object.fromEntries(texts) } };
  };
};
