/** What is asked of the services: one row a workload, with the requests for each target and the aims. */
import { canonicalJson } from '#linkml/json.ts';
import { type BenchRecord, recordOf, secretOf } from './data.ts';
import { type Load, randomNumbers, type Shot } from './load.ts';
import type { TargetName } from './targets.ts';

/**
 * Whether responses were made before: of *remembered* ones a few hundred are requested in turn, of *first time* ones each
 * request is a different one, at random over the whole collection. Writes are always new.
 */
type Kind = 'remembered' | 'first time' | 'write';

export type Workload = {
  readonly name: string;
  readonly kind: Kind;
  /** The requests of one round; undefined if a target has no counterpart. */
  load(target: TargetName, sizes: Sizes, seed: number): Load | undefined;
  /** Requests in progress at the same time; {@link CONNECTIONS} if not given. */
  readonly connections?: number;
  /** Writes at a steady rate from another connection during the round. */
  readonly meanwhile?: (target: TargetName) => Load;
  /** The least share of the floor's rate, of its rate of pages, and the least multiple of the peer's, that are aimed at. */
  readonly aim: { readonly floor?: number; readonly floorPage?: number; readonly peer?: number };
};

export type Sizes = { readonly records: number; readonly files: number };

/** So many different responses are requested in turn if they are to be remembered. */
const VARIETY = 400;
/** Requests in progress at the same time, as from a few busy clients. */
export const CONNECTIONS = 8;
/** More than a round uses up. */
const MANY = 40_000;
const PAGE = 50;
/** Pages of different sizes, so that there are ten times as many; 50 on average. */
const SMALLEST_PAGE = 45;
const PAGE_SIZES = 11;

const as = (token: string) => ({
  'x-service-token': secretOf(token),
  'x-dumpthings-token': secretOf(token),
});
const reader = as('reader');
const writer = as('writer');
const curator = as('curator');

/** The page whose rate the floor's other rates are compared with. */
export const FLOOR_PAGE = 'page of 50 JSON, each time another';

export const WORKLOADS: readonly Workload[] = [
  {
    name: 'validate JSON',
    kind: 'first time',
    aim: { floor: 0.6, peer: 40 },
    load: (target, { records }, seed) => {
      const random = randomNumbers(seed);
      return spread(MANY, () => {
        const { className, record } = recordOf(Math.floor(random() * records));
        const path = target === 'floor' ? '/validate' : `/records/validate/record/${className}`;
        return posting(path, canonicalJson(record));
      });
    },
  },
  {
    name: 'read by pid',
    kind: 'first time',
    aim: { floor: 0.8, peer: 40 },
    load: (target, { records }, seed) => {
      const random = randomNumbers(seed);
      return spread(MANY, () => reading(readPath(target, recordOf(Math.floor(random() * records)))));
    },
  },
  {
    name: FLOOR_PAGE,
    kind: 'first time',
    aim: { floor: 0.5, peer: 200 },
    load: randomPages(''),
  },
  {
    name: 'page of 50 Turtle, each time another',
    kind: 'first time',
    aim: { floorPage: 6_000 / 15_600, peer: 100 },
    load: (target, sizes, seed) =>
      target === 'floor' ? undefined : randomPages('&format=ttl')(target, sizes, seed),
  },
  {
    name: 'search with one hit, each time another',
    kind: 'first time',
    aim: { floorPage: 8_000 / 15_600, peer: 50 },
    load: (target, { records }, seed) => {
      if (target === 'floor') return undefined;
      const random = randomNumbers(seed);
      return spread(MANY, () => {
        const { email } = recordOf(3 * Math.floor((random() * records) / 3)).record;
        const [start, end] = [Math.floor(random() * 5), Math.floor(random() * 10)];
        return reading(searchPath(String(email).slice(start, String(email).length - end)));
      });
    },
  },
  {
    name: 'page of 50 JSON while another client stores 50 records a second',
    kind: 'first time',
    aim: { floor: 0.5 },
    load: randomPages(''),
    meanwhile: curatedStores,
  },
  {
    name: 'first page, 50 JSON, own zone over curated',
    kind: 'remembered',
    aim: { floor: 0.5, peer: 300 },
    load: (target) => [
      reading(target === 'floor' ? `/page?from=&size=${PAGE}` : `/records/records/p/?size=${PAGE}`),
    ],
  },
  {
    name: '400 pages of the middle in turn, 50 JSON',
    kind: 'remembered',
    aim: { floor: 0.5, peer: 200 },
    load: (target, sizes) =>
      spread(VARIETY, (i) => {
        const pages = Math.floor(sizes.records / PAGE);
        return reading(pagePath(target, sizes, ((pages >> 1) + i) % pages, PAGE));
      }),
  },
  {
    name: 'first page, 50 Turtle',
    kind: 'remembered',
    aim: { peer: 100 },
    load: (target) =>
      target === 'floor' ? undefined : [reading(`/records/records/p/?size=${PAGE}&format=ttl`)],
  },
  {
    name: '400 searches with one hit in turn',
    kind: 'remembered',
    aim: { peer: 50 },
    load: (target, { records }) => {
      if (target === 'floor') return undefined;
      const numberOf = (i: number) => 3 * Math.floor((i * records) / VARIETY / 3);
      return spread(VARIETY, (i) => reading(searchPath(String(recordOf(numberOf(i)).record.email))));
    },
  },
  ...[1, CONNECTIONS, 32].map((connections) => ({
    name: `store JSON, curated, ${connections} at a time`,
    kind: 'write' as const,
    connections,
    aim: connections === CONNECTIONS ? { floor: 0.5 } : {},
    load: curatedStores,
  })),
  {
    name: 'store JSON, own zone (sqlite, durable)',
    kind: 'write',
    aim: { floorPage: 12_000 / 15_600, peer: 25 },
    load: (target) =>
      storing(MANY, (record) =>
        posting(target === 'floor' ? '/store' : '/records/record/Person', canonicalJson(record)),
      ),
  },
  {
    name: 'store JSON, own zone (record_dir, durable)',
    kind: 'write',
    aim: { peer: 10 },
    load: (target) =>
      target === 'floor'
        ? undefined
        : storing(MANY, (record) => posting('/files/record/Person', canonicalJson(record))),
  },
  {
    name: 'store Turtle',
    kind: 'write',
    aim: { peer: 20 },
    load: (target) =>
      target === 'floor'
        ? undefined
        : storing(MANY, (record) =>
            posting('/records/record/Person?format=ttl', turtleOf(record), writer, 'text/turtle'),
          ),
  },
];

/** Four reads to one write, while {@link MIXED.meanwhile} imports into the curated area. */
export const MIXED: Workload = {
  name: 'mixed: four reads to one write, while another client stores 50 records a second',
  kind: 'first time',
  aim: {},
  load: (target, sizes, seed) => {
    if (target === 'floor') return undefined;
    const of = (name: string) => WORKLOADS.find((one) => one.name === name)?.load(target, sizes, seed) ?? [];
    const reads = [of('read by pid'), of(FLOOR_PAGE), of('search with one hit, each time another')];
    const writes = of('store JSON, own zone (sqlite, durable)');
    return spread(MANY, (i) =>
      i % 5 === 4 ? writes[i]! : (i % 5 < 2 ? reads[0]! : reads[(i % 5) - 1]!)[i]!,
    );
  },
  meanwhile: curatedStores,
};

function curatedStores(target: TargetName): Load {
  return storing(MANY, (record) =>
    target === 'floor'
      ? posting('/store', canonicalJson(record))
      : posting('/records/curated/record/Person', canonicalJson(record), curator),
  );
}

/** A random page of the whole collection with each request. */
function randomPages(parameters: string) {
  return (target: TargetName, sizes: Sizes, seed: number): Load => {
    const random = randomNumbers(seed);
    return spread(MANY, () => {
      const size = SMALLEST_PAGE + Math.floor(random() * PAGE_SIZES);
      const page = Math.floor((random() * sizes.records) / size);
      return reading(pagePath(target, sizes, page, size) + (target === 'floor' ? '' : parameters));
    });
  };
}

/** A page by its number from 0; the floor begins at the record that is about as far. */
function pagePath(target: TargetName, { records }: Sizes, page: number, size: number): string {
  if (target !== 'floor') return `/records/records/p/?size=${size}&page=${page + 1}`;
  // A third of the pids start with person, and come first.
  const place = page * size;
  const number = place < records / 3 ? place * 3 : Math.floor(((place - records / 3) * 3) / 2);
  const kind = place < records / 3 ? 'person' : 'publication';
  return `/page?from=${encodeURIComponent(`labid:${kind}-${digitsOf(number)}`)}&size=${size}`;
}

function readPath(target: TargetName, { record: { pid } }: BenchRecord): string {
  return `${target === 'floor' ? '/read' : '/records/record'}?pid=${encodeURIComponent(pid)}`;
}

const searchPath = (words: string) =>
  `/records/records/p/Person?size=${PAGE}&matching=${encodeURIComponent(`%${words}%`)}`;

export function reading(path: string): Shot {
  return { method: 'GET', path, headers: reader };
}

export function posting(
  path: string,
  body: string,
  token: Readonly<Record<string, string>> = writer,
  contentType = 'application/json',
): Shot {
  return { method: 'POST', path, body, headers: { ...token, 'content-type': contentType } };
}

let stored = Date.now() % 1e9;

/** Requests with a new record each. */
export function storing(count: number, make: (record: BenchRecord['record']) => Shot): Load {
  return spread(count, () => {
    const { record } = recordOf(3 * (stored++ % 1e6));
    return make({ ...record, pid: `labid:stored-${stored}` });
  });
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

const digitsOf = (number: number) => String(number).padStart(7, '0');

function spread<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
