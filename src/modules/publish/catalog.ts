/** The service and its collections as catalogs for harvesters: DCAT-AP 3, in the layout of a FAIR Data Point. */
import type { FastifyReply } from 'fastify';
import type { Grant } from '../../core/access/grant.ts';
import type { Collection } from '../../core/collections/collection.ts';
import { isServiceError } from '../../core/errors.ts';
import { FORMATS, type FormatName } from '../../core/formats/formats.ts';
import { presentedToken } from '../../core/http/client.ts';
import { type Call, type Endpoint, row } from '../../core/http/endpoint.ts';
import { acceptingToken, enterWithAnyToken } from '../../core/http/endpoints/me.ts';
import { documentSchema } from '../../core/http/endpoints/schemas.ts';
import { administratorOf, enterToRead } from '../../core/http/enter.ts';
import { originOf } from '../../core/http/origin.ts';
import { sendText } from '../../core/http/reply.ts';
import { replying } from '../../core/http/replying.ts';
import { datasetsOf } from './datasets.ts';
import { type CataloguedCollection, collectionCatalog, serviceCatalog } from './dcat.ts';
import { type Graph, graphAsJsonLd, graphAsTurtle } from './graph.ts';
import { titleOfCollection } from './landing-page.ts';
import { acceptedType } from './negotiate.ts';
import { metadataOf, timesOfChanges } from './publication.ts';
import { publication } from './rows.ts';
import { publicUrls } from './signposting.ts';

const WRITERS = { 'text/turtle': graphAsTurtle, 'application/ld+json': graphAsJsonLd } as const;
const TYPES = Object.keys(WRITERS) as (keyof typeof WRITERS)[];

/** The exports that are distributions. */
const EXPORTS: readonly FormatName[] = ['json', 'nq', 'ttl'];

/** A collection as a caller sees it, who reads its curated area. @throws ServiceError `policies_unavailable` */
async function catalogued(call: Call, collection: Collection, grant: Grant): Promise<CataloguedCollection> {
  const { name, schema } = collection;
  const visibility = collection.visibilityOf(grant);
  const curated = await collection.seen(collection.curated, visibility);
  const publishing = await metadataOf({ collection });
  const title = titleOfCollection(schema, { publishing, collection: name });
  const urls = publicUrls(originOf(call), name);
  return {
    name,
    url: urls.catalog,
    title,
    description: schema.description ?? `The records of the collection ${name}.`,
    publisher: publishing.publisher ?? call.request.host,
    license: publishing.license,
    ...(await timesOfChanges(curated)),
    files: EXPORTS.map((format) => {
      const { title, streamType } = FORMATS[format];
      return { title: `All records as ${title}`, url: urls.exported(format), mediaType: streamType };
    }),
    versions: (await datasetsOf(collection, grant)).map(({ files, ...version }) => ({
      ...version,
      files: files.map(({ path, ...file }) => ({ ...file, url: urls.below(path) })),
    })),
  };
}

/** The collections whose curated areas a caller reads. @throws ServiceError `token_refused` */
async function cataloguedCollections(call: Call): Promise<CataloguedCollection[]> {
  const { service, request } = call;
  const token = presentedToken(request.headers);
  const { collections, maintenance } = service.registry.current();
  const isAdministrator = token !== undefined && administratorOf(call) !== undefined;
  const accepting = await acceptingToken([...collections.values()], token, isAdministrator);
  const found: CataloguedCollection[] = [];
  for (const { name, grant } of accepting) {
    const { readCurated, curate } = grant.permissions;
    if (!readCurated || (maintenance.has(name) && !curate)) continue;
    const one = await catalogued(call, collections.get(name)!, grant).catch((error: unknown) => {
      if (isServiceError(error) && error.code === 'policies_unavailable') return undefined;
      throw error;
    });
    if (one) found.push(one);
  }
  return found;
}

function sendGraph(call: Call, graph: Graph): FastifyReply {
  const type = acceptedType(call, TYPES);
  return sendText(call.reply, type, WRITERS[type](graph));
}

const serviceUrl = (call: Call) => `${originOf(call)}/-/catalog`;

const content = Object.fromEntries(TYPES.map((type) => [type, { schema: documentSchema(type) }]));
const answers = { 200: { description: 'The catalog, in the format that `Accept` prefers.', content } };

export const catalogEndpoints: readonly Endpoint[] = [
  row('GET', '/-/catalog', 'catalog.service', {
    tag: 'Publication',
    summary: 'The collections that the token reads, as a FAIR Data Point and a DCAT-AP catalog',
    answers,
    refusals: [406],
    ...replying(enterWithAnyToken, {}, async (call) =>
      sendGraph(
        call,
        serviceCatalog(serviceUrl(call), call.service.version, await cataloguedCollections(call)),
      ),
    ),
  }),
  row('GET', '/-/{collection}/catalog', 'catalog', {
    ...publication,
    summary: 'A collection as a DCAT-AP catalog: its records, and former states with their files',
    answers,
    refusals: [406],
    ...replying(enterToRead, {}, async ({ collection, grant }, _, call) =>
      sendGraph(call, collectionCatalog(serviceUrl(call), await catalogued(call, collection, grant))),
    ),
  }),
];
