/** Requests that must not reveal hidden records. */
import type { Probe, Probes } from '../../../test/policies/world.ts';

const get = (url: string): Probe => ({ method: 'GET', url });
const pidOf = (pid: string) => `pid=${encodeURIComponent(pid)}`;

export const probes: Probes = {
  'GET /-/{collection}/resource/{+pid}': ({ pids }) =>
    pids.flatMap((pid) =>
      ['text/html', 'application/json', 'text/turtle', 'application/ld+json'].map((accept) => ({
        ...get(`/-/c/resource/${pid}`),
        headers: { accept },
      })),
    ),
  'GET /-/{collection}/resource': ({ pids }) =>
    pids.flatMap((pid) =>
      ['text/html', 'application/json'].map((accept) => ({
        ...get(`/-/c/resource?${pidOf(pid)}`),
        headers: { accept },
      })),
    ),
  'GET /-/{collection}/oai': ({ pids }) => [
    ...['oai_dc', 'rdf'].map((prefix) => get(`/-/c/oai?verb=ListRecords&metadataPrefix=${prefix}`)),
    get('/-/c/oai?verb=ListIdentifiers&metadataPrefix=datacite&set=Person'),
    get('/-/c/oai?verb=Identify'),
    ...pids.map((pid) => {
      const iri = pid.replace('labid:', 'https://example.org/laboratory/id/');
      return get(`/-/c/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier=${encodeURIComponent(iri)}`);
    }),
  ],
  'POST /-/{collection}/oai': () => [
    { method: 'POST', url: '/-/c/oai', body: 'verb=ListRecords&metadataPrefix=oai_dc' },
  ],
};
