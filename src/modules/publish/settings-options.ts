/** Options of `accession curate settings` for what a collection publishes. */
import { readFileSync } from 'node:fs';
import type { SettingsOfOptions } from '../../cli/module.ts';
import { UsageError } from '../../cli/outcome.ts';
import { type PublicationMetadata, publish } from './client.ts';

const TEXTS = ['title', 'publisher', 'license', 'contact', 'base'] as const;

/** What options change of the setting `publish`; with `--dry-run`, a report about the profiles. */
export const settingsOfOptions: SettingsOfOptions = async (collection, options) => {
  const profiles = Object.fromEntries(((options.profile ?? []) as string[]).map(profileIn));
  const client = collection.use(publish);
  if (options.dryRun) return { report: await client.tryProfiles(profiles) };
  const texts = TEXTS.flatMap((key) => (options[key] === undefined ? [] : [[key, options[key]] as const]));
  if (texts.length === 0 && Object.keys(profiles).length === 0) return undefined;
  return {
    change(stored) {
      const { publish: current = {} } = stored as { publish?: PublicationMetadata };
      const publish = {
        ...current,
        ...Object.fromEntries(texts),
        ...(Object.keys(profiles).length > 0 && { profiles: { ...current.profiles, ...profiles } }),
      };
      return { ...stored, publish };
    },
  };
};

/** `oai_dc=FILE` */
function profileIn(text: string): [vocabulary: string, derivations: string] {
  const [, vocabulary, file] = /^(\w+)=(.+)$/.exec(text) ?? [];
  if (vocabulary === undefined || file === undefined)
    throw new UsageError(`--profile: expected VOCABULARY=FILE, found '${text}'.`);
  return [vocabulary, readFileSync(file, 'utf8')];
}
