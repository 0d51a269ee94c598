/**
 * Describes the service and its collections as catalogs in terms of DCAT-AP 3, laid out as a FAIR Data Point 1.2: the service,
 * a catalog for each collection, in it datasets (the present records, and former states), and their distributions.
 */
import type { Dataset } from './datasets.ts';
import { dateTime, type Graph, type GraphNode, iri } from './graph.ts';

const PREFIXES = {
  dcat: 'http://www.w3.org/ns/dcat#',
  dct: 'http://purl.org/dc/terms/',
  'fdp-o': 'https://w3id.org/fdp/fdp-o#',
  foaf: 'http://xmlns.com/foaf/0.1/',
  ldp: 'http://www.w3.org/ns/ldp#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  spdx: 'http://spdx.org/rdf/terms#',
  xsd: 'http://www.w3.org/2001/XMLSchema#',
};
const FDP_SPECIFICATION = 'https://specs.fairdatapoint.org/fdp-specs-v1.2.html';
/** As DCAT-AP names it: with `https`. */
const SHA_256 = 'https://spdx.org/rdf/terms#checksumAlgorithm_sha256';
const MEDIA_TYPES = 'https://www.iana.org/assignments/media-types/';

/** A file: its URL, and the known facts about its content. */
type CataloguedFile = {
  readonly title: string;
  readonly url: string;
  readonly mediaType: string;
  readonly size?: number;
  /** SHA-256 in hexadecimal digits. */
  readonly digest?: string;
};

type CataloguedVersion = Omit<Dataset, 'files'> & { readonly files: readonly CataloguedFile[] };

/** A collection as a caller sees it. */
export type CataloguedCollection = {
  readonly name: string;
  /** The URL of its catalog. */
  readonly url: string;
  readonly title: string;
  readonly description: string;
  /** The name of an organization or a person. */
  readonly publisher: string;
  readonly license?: string | undefined;
  /** When the first and the last of its changes were made; undefined if it has none. */
  readonly issued?: string | undefined;
  readonly modified?: string | undefined;
  /** The present records. */
  readonly files: readonly CataloguedFile[];
  /** Former states. */
  readonly versions: readonly CataloguedVersion[];
};

/** The service as a FAIR Data Point, and the catalog of the catalogs of its collections. */
export function serviceCatalog(
  url: string,
  version: string,
  collections: readonly CataloguedCollection[],
): Graph {
  const { host } = new URL(url);
  const publishers = new Set(collections.map(({ publisher }) => publisher));
  const publisher = publishers.size === 1 ? [...publishers][0]! : host;
  const catalogs = collections.map((one) => iri(one.url));
  const nodes: GraphNode[] = [
    {
      '@id': url,
      '@type': ['fdp-o:FAIRDataPoint', 'fdp-o:MetadataService', 'dcat:DataService', 'rdfs:Resource'],
      'dct:title': titleOf(url),
      'dcat:version': version,
      'dcat:endpointURL': iri(url),
      'dct:publisher': iri(`${url}#publisher`),
      'fdp-o:conformsToFdpSpec': iri(FDP_SPECIFICATION),
      ...metadataOf(url, collections),
      'fdp-o:metadataCatalog': catalogs,
    },
    { ...catalogOfCatalogs(url), 'dcat:catalog': catalogs, 'dcat:service': iri(url) },
    container(`${url}#catalogs`, 'Catalogs', url, 'fdp-o:metadataCatalog', catalogs),
    agent(`${url}#publisher`, publisher),
    ...collections.flatMap(({ url, title, description, publisher }): GraphNode[] => [
      {
        '@id': url,
        '@type': 'dcat:Catalog',
        'dct:title': title,
        'dct:description': description,
        'dct:publisher': iri(`${url}#publisher`),
      },
      agent(`${url}#publisher`, publisher),
    ]),
  ];
  return { prefixes: PREFIXES, nodes };
}

const titleOf = (url: string) => `The collections of ${new URL(url).host}`;

const catalogOfCatalogs = (url: string): GraphNode => ({
  '@id': `${url}#catalog`,
  '@type': 'dcat:Catalog',
  'dct:title': titleOf(url),
  'dct:description': 'A catalog for each collection of records that the service publishes.',
  'dct:publisher': iri(`${url}#publisher`),
});

/** The catalog of a collection. @param parent the URL of the service as a FAIR Data Point */
export function collectionCatalog(parent: string, collection: CataloguedCollection): Graph {
  const { url, title, description, publisher, license, modified, issued, files, versions } = collection;
  const described = {
    'dct:publisher': iri(`${url}#publisher`),
    'dct:license': license === undefined ? undefined : iri(license),
    'dct:issued': issued === undefined ? undefined : dateTime(issued),
    'dct:modified': modified === undefined ? undefined : dateTime(modified),
  };
  const records = `${url}#records`;
  const former = versions.map(({ id }) => iri(`${url}#${id}`));
  const datasets = [iri(records), ...former];
  const present = distributions(records, files, license);
  const licenses = new Set([license ?? [], ...versions.map((one) => one.license)].flat());
  const all = [...files, ...versions.flatMap((one) => one.files)];
  const nodes: GraphNode[] = [
    {
      '@id': url,
      '@type': 'dcat:Catalog',
      'dct:title': title,
      'dct:description': description,
      ...described,
      'dct:isPartOf': iri(`${parent}#catalog`),
      ...metadataOf(url, [collection]),
      'dcat:dataset': datasets,
    },
    container(`${url}#datasets`, 'Datasets', url, 'dcat:dataset', datasets),
    {
      '@id': records,
      '@type': 'dcat:Dataset',
      'dct:title': title,
      'dct:description': description,
      'dct:identifier': records,
      ...described,
      'dcat:hasVersion': former,
      'dcat:distribution': present.ids.map(iri),
    },
    ...present.nodes,
    ...versions.flatMap(({ version, ...one }) => {
      const id = `${url}#${one.id}`;
      const own = distributions(id, one.files, one.license);
      const dataset: GraphNode = {
        '@id': id,
        '@type': 'dcat:Dataset',
        'dct:title': `${title}, ${version}`,
        'dct:description': one.description ?? `The release ${version} of: ${description}`,
        'dct:identifier': id,
        'dcat:version': version,
        'dcat:isVersionOf': iri(records),
        'dct:publisher': iri(`${url}#publisher`),
        'dct:license': iri(one.license),
        'dct:issued': dateTime(one.time),
        'dcat:distribution': own.ids.map(iri),
      };
      return [dataset, ...own.nodes];
    }),
    agent(`${url}#publisher`, publisher),
    catalogOfCatalogs(parent),
    agent(`${parent}#publisher`, new URL(parent).host),
    ...all.map((file) => resource(file.url)),
    ...(versions.length > 0 ? [{ '@id': SHA_256, '@type': 'spdx:ChecksumAlgorithm' }] : []),
    ...[...licenses].map((id) => ({ '@id': id, '@type': 'dct:LicenseDocument' })),
    ...[...new Set(all.map(({ mediaType }) => mediaType))].map((type) => ({
      '@id': MEDIA_TYPES + type,
      '@type': 'dct:MediaType',
    })),
  ];
  return { prefixes: PREFIXES, nodes };
}

/** The distributions of a dataset, and their nodes with those of checksums. */
function distributions(
  dataset: string,
  files: readonly CataloguedFile[],
  license: string | undefined,
): { readonly ids: readonly string[]; readonly nodes: readonly GraphNode[] } {
  const ids = files.map((_, at) => `${dataset}-${at + 1}`);
  const nodes = files.flatMap(({ title, url, mediaType, size, digest }, at): GraphNode[] => {
    const id = ids[at]!;
    const node: GraphNode = {
      '@id': id,
      '@type': 'dcat:Distribution',
      'dct:title': title,
      'dcat:accessURL': iri(url),
      'dcat:downloadURL': iri(url),
      'dcat:mediaType': iri(MEDIA_TYPES + mediaType),
      'dct:license': license === undefined ? undefined : iri(license),
      'dcat:byteSize':
        size === undefined ? undefined : { '@value': String(size), '@type': 'xsd:nonNegativeInteger' },
      'spdx:checksum': digest === undefined ? undefined : iri(`${id}-checksum`),
    };
    if (digest === undefined) return [node];
    const checksum: GraphNode = {
      '@id': `${id}-checksum`,
      '@type': 'spdx:Checksum',
      'spdx:algorithm': iri(SHA_256),
      'spdx:checksumValue': { '@value': digest, '@type': 'xsd:hexBinary' },
    };
    return [node, checksum];
  });
  return { ids, nodes };
}

/** The record of the metadata itself, which a FAIR Data Point has for each of its documents. */
function metadataOf(
  url: string,
  collections: readonly CataloguedCollection[],
): Omit<GraphNode, '@id' | '@type'> {
  const times = collections.flatMap(({ issued, modified }) => [issued ?? [], modified ?? []].flat()).sort();
  const [first, last] = [times[0], times.at(-1)];
  return {
    'fdp-o:metadataIdentifier': iri(url),
    'fdp-o:metadataIssued': first === undefined ? undefined : dateTime(first),
    'fdp-o:metadataModified': last === undefined ? undefined : dateTime(last),
  };
}

function container(
  id: string,
  title: string,
  of: string,
  relation: string,
  members: readonly { readonly '@id': string }[],
): GraphNode {
  const [prefix, name] = relation.split(':') as [keyof typeof PREFIXES, string];
  return {
    '@id': id,
    '@type': 'ldp:DirectContainer',
    'dct:title': title,
    'ldp:membershipResource': iri(of),
    'ldp:hasMemberRelation': iri(PREFIXES[prefix] + name),
    'ldp:contains': members,
  };
}

/** The target of a URL, with its type: the shapes of DCAT-AP 3.0.0 look for it. */
const resource = (url: string): GraphNode => ({ '@id': url, '@type': 'rdfs:Resource' });

const agent = (id: string, name: string): GraphNode => ({
  '@id': id,
  '@type': 'foaf:Agent',
  'foaf:name': name,
});
