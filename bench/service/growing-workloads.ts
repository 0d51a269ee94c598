/** What is measured in collections of different sizes: reads for the first time, and writes into the curated area. */
import { canonicalJson } from '#linkml/json.ts';
import { recordOf, secretOf } from './data.ts';
import { type Load, randomNumbers, type Shot } from './load.ts';
import { FLOOR_PAGE, posting, reading, storing, WORKLOADS } from './workloads.ts';

export type GrowingWorkload = {
  readonly name: string;
  /** Whether caches of the usual size would remember all responses of a small collection. */
  readonly remembered: boolean;
  load(records: number, seed: number): Load;
};

const READS = [
  'read by pid',
  FLOOR_PAGE,
  'page of 50 Turtle, each time another',
  'search with one hit, each time another',
];

const PAGES = WORKLOADS.find(({ name }) => name === FLOOR_PAGE)!;

/** Each on both backends. A record directory has no patterns, so words are searched there. */
export function growingWorkloads(): GrowingWorkload[] {
  return COLLECTIONS.flatMap(({ name: collection, backend }) => [
    ...WORKLOADS.filter(({ name }) => READS.includes(name))
      .filter(({ name }) => backend === 'sqlite' || !name.startsWith('search'))
      .map(({ name, load }) => ({
        name: `${name} (${backend})`,
        remembered: !name.startsWith('read'),
        load: (records: number, seed: number) =>
          (load('accession', { records, files: records }, seed) ?? []).map((shot) =>
            within(collection, shot),
          ),
      })),
    {
      name: `search for a word in one record (${backend})`,
      remembered: true,
      load: (records, seed) => {
        const random = randomNumbers(seed);
        return Array.from({ length: MANY }, () => {
          const { email } = recordOf(3 * Math.floor((random() * records) / 3)).record;
          return reading(
            `/-/${collection}/search?size=50&q=${encodeURIComponent(String(email).slice(Math.floor(random() * 5)))}`,
          );
        });
      },
    },
    {
      name: `store a new record (${backend})`,
      remembered: false,
      load: () => storing(MANY, (record) => storingIn(collection, canonicalJson(record))),
    },
    {
      // Whatever is looked up again after a change is looked up here with each page.
      name: `store a new record, then read a page of 50 (${backend})`,
      remembered: false,
      load: (records, seed) => {
        const pages = PAGES.load('accession', { records, files: records }, seed) ?? [];
        return storing(MANY, (record) => storingIn(collection, canonicalJson(record))).flatMap((store, i) => [
          store,
          within(collection, pages[i % pages.length]!),
        ]);
      },
    },
    {
      name: `replace a record (${backend})`,
      remembered: false,
      load: (records, seed) => {
        const random = randomNumbers(seed);
        return Array.from({ length: MANY }, (_, i) => {
          const { record } = recordOf(3 * Math.floor((random() * records) / 3), `, changed ${seed} ${i}`);
          return storingIn(collection, canonicalJson(record));
        });
      },
    },
    {
      name: `delete a record, and store it again (${backend})`,
      remembered: false,
      load: (records, seed) => deletingAndStoring(collection, records, seed),
    },
  ]);
}

const COLLECTIONS = [
  { name: 'records', backend: 'sqlite' },
  { name: 'files', backend: 'record_dir' },
] as const;

/** More than a round uses up. */
const MANY = 20_000;
/** A deleted record is stored again so many deletes later, and deleted again later than that. */
const DISTANCE = 32;
/** Each round deletes other records: the last ones that a round deletes are not stored again. */
const DELETING_ROUNDS = 4;

const curator = { 'x-service-token': secretOf('curator') };

function within(collection: string, shot: Shot): Shot {
  return { ...shot, path: shot.path.replace('/records/', `/${collection}/`) };
}

function storingIn(collection: string, body: string): Shot {
  return posting(`/${collection}/curated/record/Person`, body, curator);
}

/** Deletes records at random, and stores each of them again. */
function deletingAndStoring(collection: string, records: number, seed: number): Load {
  const people = Math.floor(records / 3 / DELETING_ROUNDS);
  const random = randomNumbers(seed);
  const order = Array.from({ length: people }, (_, i) => i);
  for (let i = people - 1; i > 0; i--) {
    const other = Math.floor(random() * (i + 1));
    [order[i], order[other]] = [order[other]!, order[i]!];
  }
  const record = (i: number) =>
    recordOf(3 * (order[i % people]! * DELETING_ROUNDS + (seed % DELETING_ROUNDS))).record;
  return Array.from({ length: MANY }, (_, i) => {
    const path = `/${collection}/curated/record?pid=${encodeURIComponent(record(i).pid)}`;
    const deleting: Shot = { ...reading(path), method: 'DELETE', headers: curator };
    return i < DISTANCE ? [deleting] : [deleting, storingIn(collection, canonicalJson(record(i - DISTANCE)))];
  }).flat();
}
