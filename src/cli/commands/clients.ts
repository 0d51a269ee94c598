/** Commands of clients: over HTTP. */
import { SCHEMA_TYPE } from '../../schema-type.ts';
import { type Argument, type Command, type Flag, jsonFlag } from '../command.ts';
import { EXPORT_FORMATS, IMPORT_FORMATS } from '../remote/formats.ts';

const area: Readonly<Record<string, Flag>> = {
  curated: { type: 'boolean', short: 'c', help: 'the curated area (for curators)' },
  incoming: {
    type: 'string',
    short: 'i',
    value: 'LABEL',
    help: 'an incoming zone (for curators); list: - lists the zones',
  },
};
const className: Flag = { type: 'string', short: 'C', value: 'CLASS', help: 'records of this class only' };
const matching: Flag = {
  type: 'string',
  short: 'm',
  value: 'PATTERN',
  help: 'only records with such a value; % matches any characters',
};
const limitFlag: Flag = { type: 'string', value: 'NUMBER', help: 'at most so many' };
const schema: Flag = {
  type: 'string',
  value: 'SCHEMA',
  help: 'the schema of the collection, if its address cannot be read from here',
};
const storing: Readonly<Record<string, Flag>> = {
  tag: { type: 'boolean', help: 'add submission tags' },
  author: { type: 'string', value: 'ID', help: 'on whose behalf a curator stores, for the history' },
  message: { type: 'string', value: 'TEXT', help: 'a message to the curators' },
};
const deciding: Readonly<Record<string, Flag>> = {
  reason: { type: 'string', value: 'TEXT', help: 'a sentence for the submitter' },
  digest: { type: 'string', value: 'DIGEST', help: 'refuse if the submission is not this one any more' },
  overturn: { type: 'boolean', help: 'also if it is rejected already' },
  json: jsonFlag,
};

const url: Argument = {
  name: '[URL] COLLECTION',
  help: 'a collection of the service at URL, of ACCESSION_URL, or of the last login',
};
const submission: readonly Argument[] = [
  url,
  { name: 'LABEL', help: 'the zone' },
  { name: 'PID', repeated: true, help: 'the submissions' },
];

const remote = {
  login: () => import('../remote/login.ts'),
  records: () => import('../remote/records.ts'),
  review: () => import('../remote/review.ts'),
};

export const CLIENT_COMMANDS: readonly Command[] = [
  {
    name: 'login',
    group: 'clients',
    summary: 'save the token of a service, for the commands below',
    about: 'The token is asked for, or read from standard input, and saved where only you can read it.',
    args: [{ name: 'URL', help: 'the URL of the service' }],
    example: 'accession login https://records.example.org',
    run: async (given) => (await remote.login()).login(given),
  },
  {
    name: 'logout',
    group: 'clients',
    summary: 'remove a saved token',
    args: [{ name: 'URL', optional: true, help: 'the URL of the service; without it, the last login' }],
    example: 'accession logout https://records.example.org',
    run: async (given) => (await remote.login()).logout(given),
  },
  {
    name: 'get',
    group: 'clients',
    summary: 'print records by pid',
    args: [url, { name: 'PID', repeated: true, help: 'the pids' }],
    flags: {
      ...area,
      format: {
        type: 'string',
        short: 'f',
        choices: ['json', 'yaml', 'ttl'],
        default: 'json',
        help: 'the format of the records',
      },
    },
    example: 'accession get laboratory labid:person-ada-byron -f yaml',
    run: async (given) => (await remote.records()).get(given),
  },
  {
    name: 'list',
    group: 'clients',
    summary: 'list records in pid order',
    args: [url],
    flags: {
      ...area,
      class: className,
      matching,
      limit: limitFlag,
      stats: { type: 'boolean', help: 'print the number of records only' },
      json: { type: 'boolean', help: 'print the records, one JSON object a line' },
    },
    example: 'accession list laboratory --class Person',
    run: async (given) => (await remote.records()).listCommand(given),
  },
  {
    name: 'maintenance',
    group: 'clients',
    summary: 'switch the maintenance mode of a collection, in which only curators have access',
    args: [url, { name: 'MODE', help: 'on or off' }],
    example: 'accession maintenance laboratory on',
    run: async (given) => (await remote.records()).maintenance(given),
  },
  {
    name: 'put',
    group: 'clients',
    summary: 'store records',
    args: [
      url,
      { name: 'CLASS', help: `the class of the records; '*' if each names it by ${SCHEMA_TYPE}` },
      { name: 'FILE', optional: true, help: 'JSON, NDJSON or YAML; without it, standard input' },
    ],
    flags: {
      ...area,
      ...storing,
      input: { type: 'string', choices: ['json', 'ndjson', 'yaml'], help: 'the format of the input' },
    },
    example: 'accession put laboratory Person ada.yaml --curated',
    run: async (given) => (await remote.records()).putCommand(given),
  },
  {
    name: 'delete',
    group: 'clients',
    summary: 'delete records by pid',
    args: [
      url,
      {
        name: 'PID',
        optional: true,
        repeated: true,
        help: 'the pids; without any, they are read from standard input',
      },
    ],
    flags: area,
    example: 'accession delete laboratory labid:person-ada-byron --curated',
    run: async (given) => (await remote.records()).deleteCommand(given),
  },
  {
    name: 'export',
    group: 'clients',
    summary: 'write all records of an area to a file or folder',
    about:
      'The suffix of PATH selects the format. A folder has one YAML file per record, as a record directory does.',
    args: [url, { name: 'PATH', optional: true, help: 'a file or folder; without it, NDJSON is printed' }],
    flags: {
      ...area,
      format: {
        type: 'string',
        short: 'f',
        choices: EXPORT_FORMATS,
        help: 'the format, whatever the suffix is',
      },
      class: className,
      matching,
      schema,
    },
    example: 'accession export laboratory persons.xlsx --class Person --curated',
    run: async (given) => (await import('../remote/export.ts')).exportRecords(given),
  },
  {
    name: 'import',
    group: 'clients',
    summary: 'store the records of a file or folder',
    about:
      'Refused records are reported and written to SOURCE.rejected. An interrupted import continues when it is run again.',
    args: [url, { name: 'SOURCE', help: 'a file, a folder of YAML or JSON, or - for standard input' }],
    flags: {
      ...area,
      ...storing,
      format: {
        type: 'string',
        short: 'f',
        choices: IMPORT_FORMATS,
        help: 'the format, whatever the suffix is',
      },
      class: { ...className, help: 'the class of all records' },
      schema,
      'dry-run': { type: 'boolean', short: 'd', help: 'check the records and store none' },
    },
    example: 'accession import laboratory persons.xlsx --curated',
    run: async (given) => (await import('../remote/import.ts')).importRecords(given),
  },
  {
    name: 'submissions',
    group: 'clients',
    summary: 'list what became of your submissions',
    args: [url, { name: 'PID', optional: true, help: 'one submission, with its decisions' }],
    flags: {
      status: {
        type: 'string',
        value: 'STATUS',
        help: 'waiting, deferred, rejected, accepted, withdrawn or removed',
      },
      class: className,
      batch: { type: 'string', value: 'BATCH', help: 'submissions of this batch' },
      limit: limitFlag,
      json: jsonFlag,
    },
    example: 'accession submissions laboratory --status rejected',
    run: async (given) => (await remote.review()).submissions(given),
  },
  {
    name: 'review list',
    group: 'clients',
    summary: 'list submissions that wait for a decision',
    args: [url],
    flags: {
      standing: { type: 'string', value: 'STANDING', help: 'waiting (the default), rejected, deferred' },
      state: { type: 'string', value: 'STATE', help: 'same, new, changed, diverged' },
      label: { type: 'string', value: 'LABEL', help: 'submissions in this zone' },
      class: className,
      submitter: { type: 'string', value: 'ID', help: 'submissions of this user' },
      batch: { type: 'string', value: 'BATCH', help: 'submissions of this batch' },
      summary: { type: 'boolean', help: 'print counts only' },
      limit: limitFlag,
      json: jsonFlag,
    },
    example: 'accession review list laboratory --state new',
    run: async (given) => (await remote.review()).reviewList(given),
  },
  {
    name: 'review show',
    group: 'clients',
    summary: 'show a submission with its differences from the curated record',
    args: [url, { name: 'LABEL', help: 'the zone' }, { name: 'PID', help: 'the submission' }],
    flags: { json: jsonFlag },
    example: 'accession review show laboratory submitter labid:person-ada-byron',
    run: async (given) => (await remote.review()).reviewShow(given),
  },
  {
    name: 'review accept',
    group: 'clients',
    summary: 'accept submissions into the curated area',
    args: submission,
    flags: {
      ...deciding,
      take: {
        type: 'string',
        multiple: true,
        value: 'PATH=SIDE',
        help: 'resolve a conflict: submitted, curated or base',
      },
    },
    example: 'accession review accept laboratory submitter labid:person-ada-byron --take /name=submitted',
    run: async (given) => (await remote.review()).reviewDecide(given, 'accept'),
  },
  {
    name: 'review reject',
    group: 'clients',
    summary: 'reject submissions, with a reason',
    args: submission,
    flags: { ...deciding, reason: { ...deciding.reason, required: true } as Flag },
    example: "accession review reject laboratory submitter labid:person-ada-byron --reason 'a duplicate'",
    run: async (given) => (await remote.review()).reviewDecide(given, 'reject'),
  },
  {
    name: 'review defer',
    group: 'clients',
    summary: 'put off the decision on submissions',
    args: submission,
    flags: {
      ...deciding,
      until: { type: 'string', value: 'TIME', help: 'when they wait again: 2027-01-31T12:00:00Z' },
    },
    example: "accession review defer laboratory submitter labid:person-ada-byron --reason 'which Ada?'",
    run: async (given) => (await remote.review()).reviewDecide(given, 'defer'),
  },
  {
    name: 'review undo',
    group: 'clients',
    summary: 'undo a decision and those made in the same step',
    args: [url, { name: 'DECISION', help: 'the id of the decision' }],
    flags: { json: jsonFlag },
    example: 'accession review undo laboratory 01JF3Z5K8M',
    run: async (given) => (await remote.review()).reviewUndo(given),
  },
];
