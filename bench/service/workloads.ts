/** What is asked of the services: one row a workload, with the request for each target and the aims. */
import type { Request } from 'autocannon';
import { canonicalJson } from '../../src/json.ts';
import { type BenchRecord, recordOf, secretOf } from './data.ts';
import type { TargetName } from './targets.ts';

export type Workload = {
  readonly name: string;
  /** The requests in turn; undefined where a target has no counterpart. */
  requests(target: TargetName, sizes: Sizes): Request[] | undefined;
  /** The least share of the floor's rate, and the least multiple of the peer's, that are aimed at. */
  readonly aim: { readonly floor?: number; readonly peer?: number };
};

export type Sizes = { readonly records: number; readonly files: number };

/** Different records are asked for in turn, so that no answer is the last one again. */
const VARIETY = 400;
const PAGE = 50;

const reader = { 'x-service-token': secretOf('reader'), 'x-dumpthings-token': secretOf('reader') };
const writer = { 'x-service-token': secretOf('writer'), 'x-dumpthings-token': secretOf('writer') };

export const WORKLOADS: readonly Workload[] = [
  {
    name: 'validate JSON',
    aim: { floor: 0.5, peer: 40 },
    requests: (target) =>
      spread(VARIETY, (i) => {
        const { className, record } = recordOf(i);
        const path = target === 'floor' ? '/validate' : `/records/validate/record/${className}`;
        return posting(path, canonicalJson(record));
      }),
  },
  {
    name: 'read by pid',
    aim: { floor: 0.6, peer: 40 },
    requests: (target, { records }) =>
      spread(VARIETY, (i) => {
        const { pid } = recordOf(Math.floor((i * records) / VARIETY)).record;
        return reading(`${target === 'floor' ? '/read' : '/records/record'}?pid=${encodeURIComponent(pid)}`);
      }),
  },
  {
    name: 'first page, 50 JSON, own zone over curated',
    aim: { floor: 0.5, peer: 300 },
    requests: (target) => [
      reading(target === 'floor' ? `/page?from=&size=${PAGE}` : `/records/records/p/?size=${PAGE}`),
    ],
  },
  {
    name: 'middle page',
    aim: { floor: 0.4, peer: 200 },
    requests: (target, { records }) =>
      spread(VARIETY, (i) => {
        const page = Math.floor(records / PAGE / 2) + i - VARIETY / 2;
        const from = `labid:publication-${String(Math.floor(records / 4) + i * PAGE).padStart(7, '0')}`;
        return reading(
          target === 'floor'
            ? `/page?from=${encodeURIComponent(from)}&size=${PAGE}`
            : `/records/records/p/?size=${PAGE}&page=${Math.max(1, page)}`,
        );
      }),
  },
  {
    name: 'first page of a class, 50 JSON',
    aim: {},
    requests: (target) =>
      target === 'floor' ? undefined : [reading(`/records/records/p/Person?size=${PAGE}`)],
  },
  {
    name: 'first page, 50 Turtle',
    aim: { peer: 100 },
    requests: (target) =>
      target === 'floor' ? undefined : [reading(`/records/records/p/?size=${PAGE}&format=ttl`)],
  },
  {
    name: 'matching, one hit',
    aim: { floor: 0.5, peer: 50 },
    requests: (target, { records }) =>
      spread(VARIETY, (i) => {
        const number = 3 * Math.floor((i * records) / VARIETY / 3);
        const { pid, email } = recordOf(number).record;
        return reading(
          target === 'floor'
            ? `/page?from=${encodeURIComponent(pid)}&size=1`
            : `/records/records/p/Person?size=${PAGE}&matching=${encodeURIComponent(`%${String(email)}%`)}`,
        );
      }),
  },
  {
    name: 'store JSON, own zone (sqlite, durable)',
    aim: { floor: 0.5, peer: 25 },
    requests: (target) => [
      storing((record) => [target === 'floor' ? '/store' : '/records/record/Person', canonicalJson(record)]),
    ],
  },
  {
    name: 'store JSON, own zone (record_dir, durable)',
    aim: { peer: 10 },
    requests: (target) =>
      target === 'floor' ? undefined : [storing((record) => ['/files/record/Person', canonicalJson(record)])],
  },
  {
    name: 'store Turtle',
    aim: { peer: 20 },
    requests: (target) =>
      target === 'floor'
        ? undefined
        : [storing((record) => ['/records/record/Person?format=ttl', turtleOf(record), 'text/turtle'])],
  },
];

/** Four reads to one write. */
export function mixedRequests(sizes: Sizes): Request[] {
  const named = (name: string) =>
    WORKLOADS.find((workload) => workload.name === name)?.requests('accession', sizes) ?? [];
  const reads = [
    ...named('read by pid').slice(0, 6),
    ...named('middle page').slice(0, 1),
    ...named('matching, one hit').slice(0, 1),
  ];
  const writes = named('store JSON, own zone (sqlite, durable)');
  return [...reads.slice(0, 4), ...writes, ...reads.slice(4), ...writes];
}

/** New records without end into the curated area, as an import makes them. */
export function importRequests(): Request[] {
  const curator = {
    ...writer,
    'x-service-token': secretOf('curator'),
    'x-dumpthings-token': secretOf('curator'),
  };
  const row = storing((record) => ['/records/curated/record/Person', canonicalJson(record)]);
  return [{ ...row, headers: { ...row.headers, ...curator } }];
}

function reading(path: string): Request {
  return { method: 'GET', path, headers: reader };
}

function posting(path: string, body: string, contentType = 'application/json'): Request {
  return { method: 'POST', path, body, headers: { ...writer, 'content-type': contentType } };
}

let stored = 0;

/** A new record with each request. */
function storing(
  make: (record: BenchRecord['record']) => [path: string, body: string, type?: string],
): Request {
  const next = (): Request => {
    const { record } = recordOf(3 * stored++);
    return posting(...make({ ...record, pid: `labid:stored-${stored}` }));
  };
  return { ...next(), setupRequest: (request) => ({ ...request, ...next() }) };
}

function turtleOf({ pid, name, given_name, family_name, email }: BenchRecord['record']): string {
  return `@prefix labid: <https://example.org/laboratory/id/> .
@prefix schema: <http://schema.org/> .
${pid} a schema:Person ;
  schema:name "${name}" ;
  schema:givenName "${given_name}" ;
  schema:familyName "${family_name}" ;
  schema:email "${email}" .
`;
}

function spread<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
