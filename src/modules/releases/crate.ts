/** The metadata of a release as an RO-Crate 1.2: what it is, who publishes it, its license and its files. */
import type { Release, ReleaseFile } from './releases.ts';

export const METADATA_FILE = 'ro-crate-metadata.json';
const SPECIFICATION = 'https://w3id.org/ro/crate/1.2';

/** Descriptions of the files of a release, by path. */
export const FILES = {
  'records.jsonl': {
    mediaType: 'application/x-ndjson',
    about: 'All records in pid order, one JSON object a line.',
  },
  'records.nq': {
    mediaType: 'application/n-quads',
    about: 'The same records as RDF, each in a graph of its IRI.',
  },
  'changes.jsonl': {
    mediaType: 'application/x-ndjson',
    about: 'The records that were created, replaced or deleted since the release before.',
  },
  'schema.yaml': {
    mediaType: 'application/yaml',
    about: 'The LinkML schema of the records, with its imports.',
  },
  'context.jsonld': { mediaType: 'application/ld+json', about: 'The JSON-LD context of the schema.' },
  [METADATA_FILE]: { mediaType: 'application/ld+json', about: 'The metadata of the release as an RO-Crate.' },
} as const;

export type FileName = keyof typeof FILES;

/**
 * The text of the metadata.
 *
 * @param title that of the collection
 * @param files all others
 */
export function crateMetadata(
  title: string,
  { name, notes, time, publish, revision }: Release,
  records: number,
  files: readonly ReleaseFile[],
): string {
  const { license, publisher, contact } = publish;
  const named = (id: string) => ({ '@id': id });
  const graph = [
    {
      '@id': METADATA_FILE,
      '@type': 'CreativeWork',
      conformsTo: named(SPECIFICATION),
      about: named('./'),
    },
    {
      '@id': './',
      '@type': 'Dataset',
      name: `${title}, ${name}`,
      description: notes ?? `${records} records: the curated area of the collection at revision ${revision}.`,
      version: name,
      datePublished: time,
      license: named(license),
      ...(publisher !== undefined && { publisher: named(PUBLISHER) }),
      hasPart: files.map(({ path }) => named(path)),
    },
    ...files.map(({ path, mediaType, size, digest }) => ({
      '@id': path,
      '@type': 'File',
      name: path,
      description: FILES[path as FileName].about,
      encodingFormat: mediaType,
      contentSize: String(size),
      sha256: digest,
    })),
    { '@id': license, '@type': 'CreativeWork', name: license, description: 'The license of the records.' },
    ...(publisher === undefined ? [] : publisherEntities(publisher, contact)),
  ];
  return JSON.stringify({ '@context': `${SPECIFICATION}/context`, '@graph': graph }, undefined, 1);
}

const PUBLISHER = '#publisher';

function publisherEntities(name: string, contact: string | undefined): object[] {
  const organization = { '@id': PUBLISHER, '@type': 'Organization', name };
  if (contact === undefined) return [organization];
  const id = `mailto:${contact}`;
  return [
    { ...organization, contactPoint: { '@id': id } },
    { '@id': id, '@type': 'ContactPoint', name: contact, email: contact },
  ];
}
