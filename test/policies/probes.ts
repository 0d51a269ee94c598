/**
 * For every row of the endpoint table that callers without curation rights may use: the requests that show what it reveals. Those of a
 * row that reads are made from the row; here, and in modules, are those with further parameters, and those with a body, which has the
 * pids of hidden records.
 */
import type { Endpoint } from '../../src/core/http/endpoint.ts';
import { ENDPOINTS, urlOf } from '../support/endpoints.ts';
import { expectedOfModules } from '../support/module-files.ts';
import { person } from '../support/people.ts';
import { type Probe, type Probed, type Probes, TAG } from './world.ts';

const get = (url: string): Probe => ({ method: 'GET', url });
/** A moment that has no changes behind it, in both services. */
const NOW = '2999-01-01T00:00:00Z';
const EXPANDED = encodeURIComponent('affiliations,^affiliations(Person)');
const pidOf = (pid: string) => `pid=${encodeURIComponent(pid)}`;
const policy = (name: string) => ({ annotations: { [TAG]: name } });

/** Lists in every form; `class` with subclasses. */
const lists = (path: string, more: string) =>
  [
    `?at=${NOW}`,
    `?expand=${EXPANDED}`,
    `?format=ttl${more}`,
    `?matching=%25a%25${more}`,
    `?matching=%25secret%25${more}`,
  ].map((query) => get(`/c/${path}${query}`));
const paged = (path: string) =>
  [1, 2, 3].flatMap((page) =>
    ['', '&matching=%25a%25', '&format=ttl', `&at=${NOW}`, `&expand=${EXPANDED}&fields=name`].map((more) =>
      get(`/c/${path}?page=${page}&size=4${more}`),
    ),
  );

const visiblePerson = (name: string, { granted }: Probed, more: object = {}) => ({
  ...person(name, more),
  ...(granted === undefined ? {} : policy(granted)),
});

/** By method and path of the row; those that change something come last. */
export const WRITTEN: Probes = {
  'GET /{collection}/record': ({ pids }) =>
    pids.flatMap((pid) => [
      get(`/c/record?${pidOf(pid)}&at=${NOW}`),
      get(`/c/record?${pidOf(pid)}&expand=${EXPANDED}`),
      get(`/c/record?${pidOf(pid)}&expand=${EXPANDED}&shape=graph&format=ttl`),
      get(`/c/record?${pidOf(pid)}&format=ttl`),
      get(`/c/record?${pidOf(pid)}&format=jsonld`),
      get(`/c/record?${pidOf(pid)}&format=nq`),
      { ...get(`/c/record?${pidOf(pid)}`), headers: { 'if-none-match': '*' } },
    ]),
  'GET /{collection}/records/': () => lists('records/', ''),
  'GET /{collection}/records/{class}': () => [...lists('records/Person', ''), ...lists('records/Thing', '')],
  'GET /{collection}/records/p/': () => paged('records/p/'),
  'GET /{collection}/records/p/{class}': () => [...paged('records/p/Person'), ...paged('records/p/Agent')],
  'GET /-/{collection}/export': ({ pids }) => [
    get('/-/c/export?format=ttl'),
    get(`/-/c/export?at=${NOW}`),
    get(`/-/c/export?expand=${EXPANDED}&shape=graph`),
    ...pids.slice(0, 3).map((pid) => get(`/-/c/export?after=${encodeURIComponent(pid)}`)),
  ],
  'GET /-/{collection}/search': () =>
    [
      ...[
        '?q=secret&highlight=true',
        '?q=secrte',
        '?q=ecre',
        '?q=a',
        '?sort=-name&size=3',
        '?family_name=a1',
        '?class=Person&page=2&size=2',
      ],
      ...[
        '?given_name.contains=ecr',
        '?given_name.from=S&given_name.to=T',
        '?orcid.filled=false&sort=-orcid',
      ],
      ...[
        '?affiliations.contains=a0',
        '?or1.orcid.filled=true&or1.given_name=Secret',
        '?facet=given_name&facet=affiliations&size=1',
        '?q=a&facet=orcid&class=Person',
        '?family_name=a1&facet=family_name&facet=given_name&alternatives=true',
        '?sort=family_name&size=1&page=2',
      ],
    ].map((query) => get(`/-/c/search${query}`)),
  'GET /-/{collection}/changes': ({ pids }) => [
    get('/-/c/changes?limit=3&wait=1'),
    get('/-/c/changes?class=Person'),
    ...pids.slice(0, 4).map((pid) => get(`/-/c/changes?record=${encodeURIComponent(pid)}`)),
  ],
  'GET /-/{collection}/zone/changes': ({ pids }) => [
    get('/-/c/zone/changes?limit=3&class=Agent'),
    ...pids.slice(0, 2).map((pid) => get(`/-/c/zone/changes?record=${encodeURIComponent(pid)}`)),
  ],
  'GET /-/{collection}/zone/history': ({ pids }) => [
    get('/-/c/zone/history?size=100'),
    get('/-/c/zone/history?class=Person&size=100'),
    ...pids.slice(0, 4).map((pid) => get(`/-/c/zone/history?${pidOf(pid)}`)),
  ],
  'POST /-/{collection}/titles': ({ pids }) => [
    { method: 'POST', url: '/-/c/titles', json: { pids: [...pids] } },
  ],
  'POST /-/{collection}/read': ({ pids }) => [{ method: 'POST', url: '/-/c/read', json: [...pids] }],
  'POST /{collection}/validate/record/{class}': ({ pids }) => [
    validation('/c/validate/record/Person?hints=true', pids),
  ],
  'POST /{collection}/validate/{class}': ({ pids }) => [validation('/c/validate/Person?hints=true', pids)],
  'POST /-/{collection}/validate/records/': ({ pids }) => [
    {
      method: 'POST',
      url: '/-/c/validate/records/?hints=true',
      json: pids.map((pid, at) => ({
        ...person(`v${at}`, { affiliations: [pid] }),
        schema_type: 'schema:Person',
      })),
    },
  ],
  'POST /-/{collection}/validate/records/{class}': ({ pids }) => [
    {
      method: 'POST',
      url: '/-/c/validate/records/Person?hints=true',
      json: [person('v', { affiliations: [...pids], orcid: ORCID })],
    },
  ],
  ...(await probesOfModules()),
  // Changes.
  'POST /{collection}/record/{class}': (probed) =>
    probed.pids.slice(0, 6).flatMap((pid, at): Probe[] => {
      const json = { ...visiblePerson(`s${at}`, probed), pid, family_name: `stored${at}` };
      const [name = '', value = ''] = CONDITIONS[at % CONDITIONS.length]!;
      return [
        { method: 'POST', url: '/c/record/Person?hints=true', json, headers: { [name]: value } },
        get(`/c/record?${pidOf(pid)}`),
      ];
    }),
  'POST /-/{collection}/records/': (probed) => [
    {
      method: 'POST',
      url: '/-/c/records/?hints=true',
      json: [
        { ...visiblePerson('b1', probed, { affiliations: [...probed.pids] }), schema_type: 'schema:Person' },
      ],
    },
  ],
  'POST /-/{collection}/records/{class}': (probed) => [
    {
      method: 'POST',
      url: '/-/c/records/Person?hints=true',
      json: [visiblePerson('b2', probed, { orcid: ORCID })],
    },
    {
      method: 'POST',
      url: '/-/c/records/Person?conditional=true',
      json: probed.pids.slice(0, 6).map((pid, at) => ({
        record: { ...visiblePerson(`i${at}`, probed), pid },
        ...[{ if_none_match: '*' }, { if_match: '*' }, { if_match: '"x.1.json"' }][at % 3],
      })),
    },
    get('/c/records/'),
  ],
  'DELETE /{collection}/record': ({ pids }) =>
    pids.slice(0, 8).flatMap((pid, at): Probe[] => [
      {
        method: 'DELETE',
        url: `/c/record?${pidOf(pid)}${at % 2 ? '&if_unreferenced=true' : ''}`,
        ...(at % 3 === 0 && { headers: { 'if-match': '*' } }),
      },
      get(`/c/record?${pidOf(pid)}`),
    ]),
  'DELETE /-/{collection}/records/': ({ pids }) => [
    { method: 'DELETE', url: '/-/c/records/?atomic=true&if_unreferenced=true', json: pids.slice(6, 9) },
    { method: 'DELETE', url: '/-/c/records/?if_unreferenced=true', json: pids.slice(6, 12) },
    {
      method: 'DELETE',
      url: '/-/c/records/',
      json: pids.slice(8, 12).map((pid, at) => ({ pid, if_match: at % 2 ? '*' : '"x.1.json"' })),
    },
    { method: 'DELETE', url: '/-/c/records/', json: pids.slice(10) },
    get('/c/records/'),
  ],
};

const CONDITIONS = [
  ['if-none-match', '*'],
  ['if-match', '*'],
  ['if-match', '"x.1.json"'],
];

/** Of records that may be found to be about the same person. */
export const ORCID = 'orcid:0000-0002-1825-0097';

function validation(url: string, pids: readonly string[]): Probe {
  return { method: 'POST', url, json: person('v', { affiliations: [...pids], orcid: ORCID }) };
}

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`;

/** The rows whose responses could depend on hidden records. `GET /-/me` is about the token. */
export const PROBED_ROWS = ENDPOINTS.filter(
  ({ id, need, token, path }) =>
    id !== 'me' &&
    (token === 'optional' ||
      need === 'user' ||
      need === 'reader' ||
      (token === 'none' && path.includes('{collection}'))),
);

/** The requests of a row that reads, without further parameters: of each record, if it is about one. */
function plainReads(endpoint: Endpoint, { pids }: Probed): Probe[] {
  return [...new Set(pids.map((pid) => urlOf(endpoint, { pid })))].map(get);
}

/** All, by method and path of the row; those that change something come last. */
export const PROBES: Probes = {
  ...Object.fromEntries(
    PROBED_ROWS.filter(({ method }) => method === 'GET').map((endpoint) => [
      nameOf(endpoint),
      (probed: Probed) => [...plainReads(endpoint, probed), ...(WRITTEN[nameOf(endpoint)]?.(probed) ?? [])],
    ]),
  ),
  ...Object.fromEntries(Object.entries(WRITTEN).filter(([row]) => !row.startsWith('GET '))),
};

/** Those of modules, in their `policies.expected.ts`. */
async function probesOfModules(): Promise<Probes> {
  const all = await expectedOfModules<{ probes: Probes }>('policies');
  return Object.assign({}, ...all.map(([, { probes }]) => probes));
}
