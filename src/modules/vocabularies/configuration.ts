/** The key `vocabularies` in the configuration of a collection: the vocabularies whose terms the enums of its schema name. */
import type { ConfiguredVocabulary } from '../../core/collections/terms.ts';
import { type ConfigurationKeys, type Entries, entryOf, mapEntries } from '../../core/config/config.ts';
import { REFRESH } from '../../core/durations.ts';

export type VocabularyConfig = ConfiguredVocabulary & {
  /** How often the source is fetched again by itself; by default never. */
  readonly refresh?: keyof typeof REFRESH;
};
type Vocabularies = Entries<VocabularyConfig>;

declare module '../../core/config/config.ts' {
  interface ModuleConfiguration {
    vocabularies: Entries<VocabularyConfig>;
  }
}

export const configuration: ConfigurationKeys = {
  vocabularies: {
    schema: {
      type: 'object',
      propertyNames: { minLength: 1 },
      additionalProperties: {
        type: 'object',
        properties: {
          source: { type: 'string', minLength: 1 },
          format: { enum: ['obograph', 'skos', 'csv', 'records'] },
          refresh: { enum: Object.keys(REFRESH) },
          // Set when the terms of the source are in force.
          snapshot: { type: 'string', pattern: '^[0-9a-f]{64}$', readOnly: true },
        },
        required: ['source'],
        additionalProperties: false,
      },
    },
    replace: (sent, former) => withSnapshots(sent as Vocabularies, (former ?? {}) as Vocabularies),
  },
};

/** A vocabulary that is configured without a snapshot keeps the one that is in force, unless its source is another one. */
function withSnapshots(vocabularies: Vocabularies, former: Vocabularies): Vocabularies {
  return mapEntries(vocabularies, (one, name) => {
    const known = entryOf(former, name);
    const isSame = known?.source === one.source && known.format === one.format;
    return one.snapshot === undefined && isSame && known.snapshot
      ? { ...one, snapshot: known.snapshot }
      : one;
  });
}
