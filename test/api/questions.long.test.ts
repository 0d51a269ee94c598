/** Questions of a real web site on 5,000 records: one request for each page, and equal to what single reads put together. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TestService, testApp } from '../support/app.ts';
import { assembled, type Item, type Reads, type Step } from '../support/assembled.ts';
import { BACKENDS } from '../support/backends.ts';

const COUNTS = { Organization: 100, Person: 2400, Project: 400, Instrument: 100, Publication: 2000 } as const;
type ClassName = keyof typeof COUNTS;

const pidOf = (className: ClassName, n: number) =>
  `labid:${className.toLowerCase()}-${n % COUNTS[className]}`;

/** The records of a class: always the same, with references that are spread over those of others. */
const MAKE: Readonly<Record<ClassName, (n: number) => object>> = {
  // A tree: each is part of one before it.
  Organization: (n) => ({
    name: `O${n}`,
    ...(n > 4 && { part_of: pidOf('Organization', Math.floor(n / 4)) }),
  }),
  Person: (n) => ({
    name: `P${n}`,
    family_name: `P${n}`,
    affiliations: [pidOf('Organization', n), pidOf('Organization', 7 * n + 1)],
  }),
  Project: (n) => ({
    name: `J${n}`,
    participations: [3 * n, 5 * n + 1, 11 * n + 2].map((p) => ({
      person: pidOf('Person', p),
      project_role: 'lead',
    })),
    funders: [pidOf('Organization', 13 * n)],
  }),
  Instrument: (n) => ({ name: `I${n}`, owner: pidOf('Organization', 3 * n + 50) }),
  Publication: (n) => ({
    title: `B${n}`,
    authors: [pidOf('Person', 7 * n), pidOf('Person', 13 * n + 5), pidOf('Person', 1_000_000 + n)],
    about: [n % 2 === 0 ? pidOf('Instrument', n / 2) : pidOf('Project', n)],
  }),
};

type Question = {
  readonly asked: string;
  readonly className: ClassName;
  readonly size: number;
  readonly expand: string;
  readonly paths: readonly (readonly Step[])[];
};

const to = (...slots: string[]): Step => ({ slots });
const back = (slot: string, className: ClassName): Step => ({ slots: [slot], back: className });
const PARTS: Step = { slots: ['part_of'], repeats: true };

const QUESTIONS: readonly Question[] = [
  {
    asked: 'people with their organizations, up to the topmost, and their roles in projects',
    className: 'Person',
    size: 50,
    expand: 'affiliations.part_of+,^person(Project)',
    paths: [[to('affiliations'), PARTS], [back('person', 'Project')]],
  },
  {
    asked: 'publications with authors and their organizations',
    className: 'Publication',
    size: 50,
    expand: 'authors.affiliations',
    paths: [[to('authors'), to('affiliations')]],
  },
  {
    asked: 'projects with people, their organizations and funders',
    className: 'Project',
    size: 50,
    expand: 'participations.person.affiliations,funders',
    paths: [[to('participations', 'person'), to('affiliations')], [to('funders')]],
  },
  {
    asked: 'organizations with their parts, closed',
    className: 'Organization',
    size: 20,
    expand: '^part_of(Organization)+',
    paths: [[{ ...back('part_of', 'Organization'), repeats: true }]],
  },
  {
    asked: 'instruments with their owners, up to the topmost',
    className: 'Instrument',
    size: 50,
    expand: 'owner.part_of+',
    paths: [[to('owner'), PARTS]],
  },
  {
    asked: 'instruments with what was published about them, and by whom',
    className: 'Instrument',
    size: 20,
    expand: '^about(Publication).authors',
    paths: [[back('about', 'Publication'), to('authors')]],
  },
  {
    asked: 'organizations with their people and what these published',
    className: 'Organization',
    size: 5,
    expand: '^affiliations(Person).^authors(Publication)',
    paths: [[back('affiliations', 'Person'), back('authors', 'Publication')]],
  },
];

async function fill({ request }: TestService): Promise<void> {
  for (const [className, count] of Object.entries(COUNTS) as [ClassName, number][])
    for (let start = 0; start < count; start += 500) {
      const json = Array.from({ length: Math.min(500, count - start) }, (_, n) => ({
        pid: pidOf(className, start + n),
        ...MAKE[className](start + n),
      }));
      const answer = await request('POST', `/-/c/curated/records/${className}`, { token: 'cur', json });
      assert.ok(
        answer.json<{ status: number }[]>().every(({ status }) => status === 200),
        answer.text.slice(0, 500),
      );
    }
}

/** Reads each record once, on its own. */
async function readsOf({ request }: TestService): Promise<Reads> {
  const records = new Map<string, Item>();
  const classes = new Map<string, Item[]>();
  for (const [className, count] of Object.entries(COUNTS) as [ClassName, number][]) {
    const pids = Array.from({ length: count }, (_, n) => pidOf(className, n)).sort();
    const all: Item[] = [];
    for (const pid of pids) {
      const { status, json } = await request('GET', `/c/record?pid=${pid}`, { token: 'bob' });
      assert.equal(status, 200);
      all.push(json<Item>());
      records.set(pid, all.at(-1)!);
    }
    classes.set(className, all);
  }
  return {
    read: async (pid) => records.get(pid) ?? null,
    ofClass: async (className) => classes.get(className) ?? [],
  };
}

for (const type of BACKENDS)
  test(`${type}: each question of a site is one request for each page`, async (t) => {
    const service = await testApp(t, {
      collections: { c: { backend: { type } } },
      tokens: { cur: { c: 'CURATOR' }, bob: { c: 'READ_CURATED' } },
    });
    await fill(service);
    const reads = await readsOf(service);
    for (const { asked, className, size, expand, paths } of QUESTIONS) {
      for (const page of [1, Math.ceil(COUNTS[className] / size)]) {
        const query = `expand=${encodeURIComponent(expand)}&size=${size}&page=${page}`;
        const answer = await service.request('GET', `/c/records/p/${className}?${query}`, { token: 'bob' });
        const { items, total } = answer.json<{ items: Item[]; total: number }>();
        assert.equal(total, COUNTS[className]);
        const all = await reads.ofClass(className);
        const wanted: Item[] = [];
        for (const record of all.slice((page - 1) * size, page * size))
          wanted.push(await assembled(reads, record, paths));
        assert.deepEqual(items, wanted, `${asked}, page ${page}`);
      }
      t.diagnostic(asked);
    }
  });
