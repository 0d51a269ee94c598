/**
 * The vocabularies whose terms the enums of a schema name. The core passes them to the engine, which enforces them; a module reads
 * their sources and keeps them.
 */
import type { CollectionConfig, VocabularyConfig } from '../config/config.ts';
import { ServiceError } from '../errors.ts';
import type { Schema, SharedTerms } from '../schema/schema.ts';

/** Opens the vocabularies of a configuration, except those without a snapshot: their terms are not enforced. */
export type OpenTerms = (configured: CollectionConfig['vocabularies']) => Promise<SharedTerms>;

export interface TermSource {
  readonly open: OpenTerms;
  /**
   * Reads the source of a vocabulary as it is now, and keeps a snapshot.
   *
   * @returns the vocabulary with this snapshot; as it is, if it has the same terms already
   * @throws ServiceError `schema_invalid`: it cannot be read; `busy`, `task_timeout`
   */
  fetch(vocabulary: VocabularyConfig): Promise<VocabularyConfig>;
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
  return Object.keys(config.vocabularies ?? {}).filter((name) => !Object.hasOwn(schema.terms, name));
}
