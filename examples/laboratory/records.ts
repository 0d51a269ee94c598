/**
 * The records of the example store: always the same ones, made from short lists by counting.
 *
 * 200 records are curated. Two submitters have submissions in their incoming zones: some are new, some change a curated
 * record, one says what the curated record says, and some were made from a curated record that a curator has changed since.
 */

export type ExampleRecord = {
  readonly className: string;
  readonly record: Readonly<Record<string, unknown>>;
  /** What the submitter says to the curators. */
  readonly message?: string;
};

const ORGANIZATIONS: readonly (readonly [name: string, kind: string, founded: number, within?: string])[] = [
  ['University of Norbury', 'university', 1592],
  ['Department of Physics', 'institute', 1887, 'University of Norbury'],
  ['Department of Neuroscience', 'institute', 1964, 'University of Norbury'],
  ['Institut für Strömungslehre', 'institute', 1921],
  ['Ørsted Instruments', 'company', 1974],
  ['Brightfield Optics', 'company', 2003],
  ['National Science Agency', 'agency', 1951],
  ['Fondation Élan', 'agency', 1998],
];

const GIVEN_NAMES = [
  'Ada',
  'Björn',
  'Chidi',
  'Danuta',
  'Esra',
  'Farah',
  'Grace',
  'Hiroshi',
  'Inés',
  'João',
  'Katarína',
  'Łucja',
];
const FAMILY_NAMES = [
  'Abe',
  'Byron',
  'Çelik',
  'Dubois',
  'Ekwueme',
  'Fernández',
  'Großmann',
  'Haddad',
  'Ivanova',
  'Jørgensen',
];
const SUBJECTS = [
  'memory',
  'turbulence',
  'superconductors',
  'sleep',
  'plankton',
  'granular matter',
  'speech',
  'dust',
];
const APPROACHES = ['Imaging', 'Modelling', 'Measuring', 'A survey of', 'The physics of', 'Learning about'];
const INSTRUMENTS: readonly (readonly [name: string, quantity: string, unit: string])[] = [
  ['MRI scanner', 'field strength', 'T'],
  ['electron microscope', 'resolution', 'nm'],
  ['wind tunnel', 'wind speed', 'm/s'],
  ['cryostat', 'temperature', 'K'],
  ['spectrometer', 'bandwidth', 'nm'],
];
const STATUSES = ['planned', 'running', 'completed', 'cancelled'];
const ROLES = ['researcher', 'engineer', 'student'];
const KINDS = ['article', 'dataset', 'software', 'thesis'];

const COUNTS = { persons: 60, projects: 24, instruments: 30, publications: 78 };

const organizations = ORGANIZATIONS.map(([name, kind, founded, within]) =>
  thing('Organization', `organization-${slug(name)}`, {
    name,
    organization_kind: kind,
    founded,
    ...(within && { part_of: pid(`organization-${slug(within)}`) }),
    homepage: `https://www.example.org/${slug(name)}/`,
  }),
);

const persons = times(COUNTS.persons, (i) => {
  const given = pick(GIVEN_NAMES, i);
  // The lists are 12 and 10 long: the first 60 pairs differ.
  const family = pick(FAMILY_NAMES, i);
  const account = slug(`${given} ${family}`);
  return thing('Person', `person-${account}`, {
    name: `${given} ${family}`,
    given_name: given,
    family_name: family,
    email: `${account}@example.org`,
    affiliations: [pidOf(organizations, i)],
    ...(i % 3 === 0 && { orcid: `orcid:0000-0002-${digits(1000 + i)}-${digits(7 * i)}` }),
  });
});

const projects = times(COUNTS.projects, (i) => {
  const status = pick(STATUSES, i);
  return thing('Project', `project-${digits(i + 1, 3)}`, {
    name: `${pick(APPROACHES, i)} ${pick(SUBJECTS, i * 3 + 1)}`,
    description: `Project number ${i + 1} of the laboratory.`,
    project_status: status,
    started: day(2018 + (i % 7), i),
    ...(status === 'completed' && { ended: day(2021 + (i % 7), i + 5) }),
    budget: { amount: `${100 + 25 * i}000.50`, currency: i % 4 === 0 ? 'CHF' : 'EUR' },
    participations: [
      { person: pidOf(persons, i), project_role: 'lead', share: 0.2 },
      { person: pidOf(persons, 2 * i + 13), project_role: pick(ROLES, i), share: 0.75 },
    ],
    funders: [pidOf(organizations, 6 + (i % 2))],
  });
});

const instruments = times(COUNTS.instruments, (i) => {
  const [name, quantity, unit] = pick(INSTRUMENTS, i);
  return thing('Instrument', `instrument-${digits(i + 1, 3)}`, {
    name: `${name} ${Math.floor(i / INSTRUMENTS.length) + 1}`,
    owner: pidOf(organizations, i % 4),
    serial_number: `SN-${digits(90210 + 37 * i, 6)}`,
    operational: i % 6 !== 5,
    calibrated: `${day(2024, i)}T${digits(8 + (i % 9), 2)}:30:00Z`,
    properties: [{ quantity_kind: quantity, number: 1.5 + i / 4, unit }],
  });
});

const publications = times(COUNTS.publications, (i) =>
  thing('Publication', `publication-${digits(i + 1, 3)}`, {
    title: `${pick(APPROACHES, i + 2)} ${pick(SUBJECTS, i * 5)}, part ${Math.floor(i / 8) + 1}`,
    publication_kind: pick(KINDS, i),
    authors: [pidOf(persons, 3 * i), pidOf(persons, 3 * i + 7)],
    published: day(2019 + (i % 6), 3 * i),
    ...(i % 2 === 0 && { doi: `10.5555/lab.${digits(i + 1)}` }),
    page_count: 4 + ((i * 11) % 40),
    open_access: i % 3 !== 2,
    about: [pidOf(projects, i), pidOf(instruments, i)],
  }),
);

/** The curated area: 200 records, sorted so that what is referred to comes first. */
export const curated: readonly ExampleRecord[] = [
  ...organizations,
  ...persons,
  ...projects,
  ...instruments,
  ...publications,
];

/** The submissions in the incoming zones, by label. */
export const incoming: Readonly<Record<string, readonly ExampleRecord[]>> = {
  submitter: [
    thing('Person', 'person-mei-lin', { name: 'Mei Lin', given_name: 'Mei', family_name: 'Lin' }),
    thing('Publication', 'publication-draft-1', {
      title: 'Speech in dust, a draft',
      publication_kind: 'article',
      authors: [pid('person-mei-lin')],
    }),
    changed(persons, 0, { email: 'ada@example.org' }, 'I have a new address.'),
    changed(persons, 3, { email: 'danuta@example.org' }),
    changed(organizations, 1, {}),
  ],
  students: [
    thing('Instrument', 'instrument-camera', { name: 'High-speed camera', operational: true }),
    changed(instruments, 5, {}),
    changed(instruments, 6, { operational: false }, 'It has been broken since Monday.'),
    changed(instruments, 7, { serial_number: 'SN-700001' }),
  ],
};

/** What a curator changes after the submissions were made: one change merges, the other is a conflict. */
export const edits: readonly ExampleRecord[] = [
  changed(persons, 3, { homepage: 'https://www.example.org/danuta/' }),
  changed(instruments, 7, { serial_number: 'SN-700002' }),
];

function thing(className: string, id: string, slots: Readonly<Record<string, unknown>>): ExampleRecord {
  return { className, record: { pid: pid(id), ...slots } };
}

/** A submission that is about a curated record. */
function changed(
  records: readonly ExampleRecord[],
  index: number,
  slots: object,
  message?: string,
): ExampleRecord {
  const { className, record } = pick(records, index);
  return { className, record: { ...record, ...slots }, ...(message && { message }) };
}

function pid(id: string): string {
  return `labid:${id}`;
}

function pidOf(records: readonly ExampleRecord[], index: number): unknown {
  return pick(records, index).record.pid;
}

/** Entries of a list in turn, as often as needed. */
function pick<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function digits(value: number, length = 4): string {
  return String(value).padStart(length, '0');
}

function day(year: number, index: number): string {
  return `${year}-${digits(1 + (index % 12), 2)}-${digits(1 + ((index * 5) % 28), 2)}`;
}

/** A name as part of an identifier: ASCII letters and digits, with hyphens between. */
function slug(name: string): string {
  const special: Readonly<Record<string, string>> = { ß: 'ss', ø: 'o', ł: 'l' };
  return name
    .toLowerCase()
    .replace(/[ßøł]/g, (letter) => special[letter] ?? letter)
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-');
}
