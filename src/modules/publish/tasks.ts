/** What threads do for publishing: pages, metadata and profiles of records. */
import { type OfSchema, ofSchema } from '../../core/work/task.ts';
import { landingPage, type PublishedRecord } from './landing-page.ts';
import { type MetadataPrefix, type MetadataRecord, metadataOf } from './metadata-formats.ts';
import { profileFaults, type TriedRecord } from './profiles.ts';
import type { PublicationMetadata } from './publishing.ts';
import type { VocabularyName } from './vocabularies.ts';

/** The public page of a record. */
export const pageIn = ofSchema(({ schema, published }: OfSchema & { readonly published: PublishedRecord }) =>
  landingPage(schema, published),
);

/** The metadata of records for harvesters. */
export const metadataIn = ofSchema(
  ({
    prefix,
    records,
    ...source
  }: OfSchema & {
    readonly publishing: PublicationMetadata;
    readonly titles: ReadonlyMap<string, string>;
    readonly prefix: MetadataPrefix;
    readonly records: readonly MetadataRecord[];
  }) => metadataOf(source, prefix, records),
);

/** Lists the values of records that profiles cannot express. */
export const profileFaultsIn = ofSchema(
  ({
    schema,
    names,
    publishing,
    records,
  }: OfSchema & {
    readonly names: readonly VocabularyName[];
    readonly publishing: PublicationMetadata;
    readonly records: readonly TriedRecord[];
  }) => records.flatMap((record) => profileFaults(schema, names, publishing, record)),
);
