/** What is measured in collections of different sizes: reads for the first time, and writes into the curated area. */
import { canonicalJson } from '../../src/json.ts';
import { recordOf, secretOf } from './data.ts';
import { type Load, randomNumbers, type Shot } from './load.ts';
import { posting, reading, storing, WORKLOADS } from './workloads.ts';

type GrowingWorkload = { readonly name: string; load(records: number, seed: number): Load };

const READS = [
  'read by pid',
  'page of 50 JSON, each time another',
  'page of 50 Turtle, each time another',
  'search with one hit, each time another',
];

/** Each on both backends, if it is not about searching. */
export function growingWorkloads(): GrowingWorkload[] {
  return COLLECTIONS.flatMap(({ name: collection, backend }) => [
    ...WORKLOADS.filter(({ name }) => READS.includes(name))
      .filter(({ name }) => backend === 'sqlite' || !name.startsWith('search'))
      .map(({ name, load }) => ({
        name: `${name} (${backend})`,
        load: (records: number, seed: number) =>
          (load('accession', { records, files: records }, seed) ?? []).map((shot) =>
            within(collection, shot),
          ),
      })),
    {
      name: `store a new record (${backend})`,
      load: () => storing(MANY, (record) => storingIn(collection, canonicalJson(record))),
    },
    {
      name: `replace a record (${backend})`,
      load: (records, seed) => {
        const random = randomNumbers(seed);
        return Array.from({ length: MANY }, (_, i) => {
          const { record } = recordOf(3 * Math.floor((random() * records) / 3), `, changed ${seed} ${i}`);
          return storingIn(collection, canonicalJson(record));
        });
      },
    },
    { name: `store and delete a record in turn (${backend})`, load: () => storingAndDeleting(collection) },
  ]);
}

const COLLECTIONS = [
  { name: 'records', backend: 'sqlite' },
  { name: 'files', backend: 'record_dir' },
] as const;

/** More than a round uses up. */
const MANY = 20_000;
/** A record is deleted so many stores later, when it is certainly stored. */
const DISTANCE = 64;

const curator = { 'x-service-token': secretOf('curator') };

function within(collection: string, shot: Shot): Shot {
  return { ...shot, path: shot.path.replace('/records/', `/${collection}/`) };
}

function storingIn(collection: string, body: string): Shot {
  return posting(`/${collection}/curated/record/Person`, body, curator);
}

function storingAndDeleting(collection: string): Load {
  const pids: string[] = [];
  const stores = storing(MANY, (record) => {
    pids.push(record.pid);
    return storingIn(collection, canonicalJson(record));
  });
  return stores.flatMap((shot, i) => {
    const pid = pids[i - DISTANCE];
    if (pid === undefined) return [shot];
    const path = `/${collection}/curated/record?pid=${encodeURIComponent(pid)}`;
    return [shot, { ...reading(path), method: 'DELETE', headers: curator }];
  });
}
