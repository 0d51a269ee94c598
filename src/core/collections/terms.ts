/**
 * The vocabularies whose terms the enums of a schema name. The core passes them to the engine, which enforces them; a module has
 * their key in the configuration, reads their sources and keeps them.
 */
import type { CollectionConfig, Entries } from '../config/config.ts';
import { ServiceError } from '../errors.ts';
import type { Schema, SharedTerms } from '../schema/schema.ts';

export type ConfiguredVocabulary = {
  /** A URL, a path, which may be relative to the store directory, or `collection/Class`. */
  readonly source: string;
  /** How the source is read; by default its suffix decides. */
  readonly format?: string;
  /** The digest of the snapshot in force; absent until the source is fetched. */
  readonly snapshot?: string;
};

/** By the names that enums use; undefined if there are none. */
export type ConfiguredTerms = Entries<ConfiguredVocabulary> | undefined;

const KEY = 'vocabularies';

/** The vocabularies in the configuration of a collection. */
export function termsOf(config: CollectionConfig): ConfiguredTerms {
  return (config as { readonly [KEY]?: Entries<ConfiguredVocabulary> })[KEY];
}

/** The keys of a configuration that has these vocabularies. */
export const withTerms = (terms: ConfiguredTerms): object => ({ [KEY]: terms });

/** Opens the vocabularies of a configuration, except those without a snapshot: their terms are not enforced. */
export type OpenTerms = (configured: ConfiguredTerms) => Promise<SharedTerms>;

export interface TermSource {
  readonly open: OpenTerms;
  /**
   * Reads the source of a vocabulary as it is now, and keeps a snapshot.
   *
   * @returns the vocabulary with this snapshot; as it is, if it has the same terms already
   * @throws ServiceError `schema_invalid`: it cannot be read; `busy`, `task_timeout`
   */
  fetch(vocabulary: ConfiguredVocabulary): Promise<ConfiguredVocabulary>;
}

/** Used if no module has vocabularies. */
export const WITHOUT_TERMS: TermSource = {
  open: async () => ({}),
  async fetch({ source }) {
    throw new ServiceError('schema_invalid', `The service has no module that reads the source ${source}.`);
  },
};

/** The names of the configured vocabularies that the schema was opened without: their terms are not enforced. */
export function missingTerms({
  config,
  schema,
}: {
  readonly config: CollectionConfig;
  readonly schema: Schema;
}): string[] {
  return Object.keys(termsOf(config) ?? {}).filter((name) => !Object.hasOwn(schema.terms, name));
}
