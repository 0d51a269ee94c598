/** What threads do for publishing: pages and metadata of records. */
import { type OfSchema, ofSchema } from '../../core/work/task.ts';
import { landingPage, type PublishedRecord } from './landing-page.ts';
import { type MetadataPrefix, type MetadataRecord, metadataOf } from './oai/metadata-formats.ts';
import type { PublicationMetadata } from './publishing.ts';

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
