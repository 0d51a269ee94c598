/** Commands that send one request each: a row has its words, the request, and how the answer is printed. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import type { ClientError, Status } from '../../client/client.ts';
import { COLUMNS, type Column, type ColumnFilter } from '../../review/columns.ts';
import { FILTERS } from '../../review/fields.ts';
import { type Command, onService, runs, wholeNumber } from '../command.ts';
import { counted } from '../print.ts';
import type { Printing, To, Values } from './request.ts';
import { decisionRow, itemText } from './review.ts';

type Option = {
  readonly flags: string;
  readonly about: string;
  /** The name of the value, if the endpoint has another one for it. */
  readonly as?: string;
  readonly read?: (text: string, before?: never) => unknown;
};

/** One command. Values are its arguments and options, under the names that the endpoint has for them. */
export type RequestRow = {
  /** `rename <collection> <from> <to>` */
  readonly usage: string;
  readonly about: string;
  readonly example: string;
  /** What the arguments are, by name; or what they may be. */
  readonly arguments?: Readonly<Record<string, string | readonly string[]>>;
  readonly options?: readonly Option[];
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Values that are named in braces are parts of it. The others are the query of a GET, else the body. */
  readonly path: string;
  /** Of a request with a body: the values that are parameters nevertheless. */
  readonly query?: readonly string[];
  /** Makes the values of what was given. */
  readonly values?: (given: Values) => Values;
  readonly print: Printing;
  /** What to do about an error, in the options of the command. */
  readonly advise?: (error: ClientError) => string | undefined;
  /** What the command does if a value is given: the first that is. A value that is a flag is not sent. */
  readonly instead?: readonly (Partial<Pick<RequestRow, 'method'>> &
    Pick<RequestRow, 'path' | 'print'> & { readonly value: string })[];
};

/** Submissions that are listed, unless `--limit` says otherwise. */
const LISTED = 100;

const CLASS = { flags: '-C, --class <class>', about: 'records of this class only' };
const BATCH = { flags: '--batch <batch>', about: 'submissions of this batch' };
const limit = (most: number): Option => ({
  flags: '--limit <number>',
  about: `at most this many (${LISTED})`,
  read: wholeNumber(1, most),
});
const SIZE = { ...limit(LISTED), as: 'size' };
const LIMIT = limit(1000);
const DRY_RUN = { flags: '-d, --dry-run', about: 'only report what would change' };
const AUTHOR = { flags: '--author <id>', as: 'author_id', about: 'on whose behalf, for the history' };
const MOVING = ['dry_run', 'author_id'];
const MOVED: Printing = {
  text: ({ kind, from, to, records, dry_run, id }) =>
    dry_run
      ? `${kind} ${from} → ${to}: ${counted(records as number, 'record')} would change`
      : `${kind} ${from} → ${to}: ${counted(records as number, 'record')} changed; undo with the id ${id}`,
};

const MOVE_UNDONE: Printing = {
  text: ({ kind, from, to, records }) =>
    `${kind} ${from} → ${to}: undone; ${counted(records as number, 'record')} changed`,
};

/** Commands of people who submit, and of operators. */
export const REQUESTS: readonly RequestRow[] = [
  {
    usage: 'submissions <collection> [pid]',
    about: 'List what became of your submissions.',
    example: 'accession submissions laboratory --status rejected',
    arguments: { pid: 'one submission, with its decisions' },
    options: [
      {
        flags: '--status <status>',
        about: 'waiting, deferred, rejected, accepted, withdrawn or removed',
      },
      CLASS,
      BATCH,
      SIZE,
      { flags: '--comment <text>', as: 'text', about: 'write this to the curators about one submission' },
    ],
    method: 'GET',
    path: '/-/{collection}/submissions/',
    print: { columns: ['pid', 'class', 'status', 'submitted_at', 'reason', 'title'], items: 'items' },
    instead: [
      {
        value: 'text',
        method: 'POST',
        path: '/-/{collection}/submissions/comments',
        print: { done: () => 'The comment is stored.' },
      },
      { value: 'pid', path: '/-/{collection}/submissions/item', print: { text: itemText } },
    ],
  },
  {
    usage: 'status',
    about:
      'Report disk, backup, collections and what is behind in a service that runs. Requires an admin token.',
    example: 'accession status --json',
    method: 'GET',
    path: '/-/status',
    print: { text: statusText },
  },
];

/** Commands of curators, below `curate`. */
export const CURATE_REQUESTS: readonly RequestRow[] = [
  {
    usage: 'dangling <collection>',
    about: 'List references that lead to no record. The status is 2 if there are any.',
    example: 'accession curate dangling laboratory',
    options: [LIMIT],
    method: 'GET',
    path: '/-/{collection}/dangling',
    print: { columns: ['pid', 'class', 'in', 'path', 'to'], items: 'items', areProblems: true },
  },
  {
    usage: 'faults <collection>',
    about: 'List stored records that do not fit the schema. The status is 2 if there are any.',
    example: 'accession curate faults laboratory',
    options: [LIMIT],
    method: 'GET',
    path: '/-/{collection}/faults',
    print: {
      columns: ['pid', 'class', 'in', 'problem'],
      items: 'items',
      areProblems: true,
      row: ({ problems, ...fault }) => ({
        ...fault,
        problem: (problems as { msg: string }[]).map(({ msg }) => msg).join(' '),
      }),
    },
  },
  {
    usage: 'duplicates <collection>',
    about:
      'List pairs of curated records that may be about the same thing. "accession curate merge" makes one of them.',
    example: 'accession curate duplicates laboratory',
    options: [LIMIT],
    method: 'GET',
    path: '/-/{collection}/duplicates',
    print: {
      columns: ['score', 'by', 'class', 'first', 'second', 'titles'],
      items: 'items',
      row: ({ records, ...pair }) => {
        const [first, second] = records as { pid: string; class: string; title: string | null }[];
        const titles = [first?.title, second?.title].join(' / ');
        return { ...pair, class: first?.class, first: first?.pid, second: second?.pid, titles };
      },
    },
  },
  {
    usage: 'distinct <collection> <first> <second>',
    about: 'Record that two records are about different things. They are not listed as duplicates any more.',
    example: 'accession curate distinct laboratory labid:person-ada-abe labid:person-ada-byron',
    arguments: { first: 'a pid', second: 'another pid' },
    options: [{ flags: '--undo', about: 'list them as duplicates again' }],
    method: 'PUT',
    path: '/-/{collection}/duplicates',
    values: ({ collection, first, second, undo }) => ({
      collection,
      pids: [first, second],
      different: !undo,
    }),
    print: {
      done: ({ first, second, undo }) =>
        `${first} and ${second} are ${undo ? 'listed as duplicates again if they are alike' : 'not listed as duplicates any more'}.`,
    },
  },
  {
    usage: 'rename <collection> <from> <to>',
    about:
      'Give a curated record another pid, in every record that refers to it. The former pid leads to it from then on.',
    example: 'accession curate rename laboratory labid:person-ada-abe labid:person-ada --dry-run',
    arguments: { from: 'the present pid', to: 'the new one' },
    options: [DRY_RUN, AUTHOR],
    method: 'POST',
    path: '/-/{collection}/curated/rename',
    query: MOVING,
    print: MOVED,
  },
  {
    usage: 'merge <collection> <keep> <drop>',
    about:
      'Merge two curated records into one, in every record that refers to them. Values that only one of them has are kept.',
    example: 'accession curate merge laboratory labid:person-ada labid:person-a --take /name=keep',
    arguments: { keep: 'the pid that remains', drop: 'the pid that leads to it from then on' },
    options: [
      {
        flags: '--take <path=side>',
        about:
          'whose value to take if both have one, such as /name=keep or /name=drop; without a path, of the whole record; may be repeated',
        read: (text, before?: object) => {
          const at = text.lastIndexOf('=');
          return { ...before, [text.slice(0, Math.max(at, 0))]: text.slice(at + 1) };
        },
      },
      DRY_RUN,
      AUTHOR,
    ],
    method: 'POST',
    path: '/-/{collection}/curated/merge',
    query: MOVING,
    print: MOVED,
    advise: ({ code, problems }) =>
      code === 'merge_conflict'
        ? `Choose a value for each path: --take ${problems[0]?.loc[0]}=keep, or --take ${problems[0]?.loc[0]}=drop.`
        : undefined,
  },
  {
    usage: 'moves <collection> [undo]',
    about: 'List renames and merges, or undo one.',
    example: 'accession curate moves laboratory',
    arguments: { undo: 'the id of the one to undo' },
    method: 'GET',
    path: '/-/{collection}/moves',
    print: { columns: ['id', 'kind', 'from', 'to', 'records', 'by', 'time'], items: 'items' },
    instead: [
      { value: 'undo', method: 'POST', path: '/-/{collection}/moves/{undo}/undo', print: MOVE_UNDONE },
    ],
  },
  {
    usage: 'maintenance <collection> <active>',
    about: 'Switch the maintenance mode of a collection. While it is on, only curators have access.',
    example: 'accession curate maintenance laboratory on',
    arguments: { active: ['on', 'off'] },
    method: 'POST',
    path: '/maintenance',
    print: { done: ({ collection, active }) => `The maintenance mode of ${collection} is ${active}.` },
  },
];

const SHORT: Readonly<Record<string, string>> = { class: '-C, ', matching: '-m, ' };

function filterOption([name, { description, schema }]: [string, ColumnFilter]): Option {
  const words = description.slice(0, 1).toLowerCase() + description.slice(1, -1);
  const [one] = (schema as { oneOf?: readonly { enum?: readonly string[] }[] }).oneOf ?? [];
  const about = one?.enum ? `${words}: ${one.enum.join(', ')}` : words;
  return { flags: `${SHORT[name] ?? ''}--${name} <value>`, about };
}

const LISTED_COLUMNS = Object.entries<Column>(COLUMNS).flatMap(([name, { isListed }]) =>
  isListed ? [name] : [],
);

/** Commands of reviewers, below `review`. */
export const REVIEW_REQUESTS: readonly RequestRow[] = [
  {
    usage: 'list <collection>',
    about: 'List submissions that wait for a decision.',
    example: 'accession review list laboratory --state new',
    options: [
      ...Object.entries<ColumnFilter>(FILTERS).map(filterOption),
      { flags: '--summary', about: 'print counts only' },
      SIZE,
    ],
    method: 'GET',
    path: '/-/{collection}/review/',
    print: { columns: LISTED_COLUMNS, items: 'items' },
    instead: [{ value: 'summary', path: '/-/{collection}/review/summary', print: 'value' }],
  },
  {
    usage: 'decisions <collection>',
    about: 'List the decisions of a collection, newest first.',
    example: 'accession review decisions laboratory --label ada',
    options: [
      { flags: '--pid <pid>', about: 'only decisions about this record' },
      { flags: '--label <label>', about: 'only decisions about submissions of this zone' },
      SIZE,
    ],
    method: 'GET',
    path: '/-/{collection}/review/decisions',
    print: {
      columns: ['id', 'time', 'decision', 'label', 'pid', 'reviewer', 'undone', 'reason'],
      items: 'items',
      row: decisionRow,
    },
  },
];

/** Commands of stewards, below `schema`. */
export const SCHEMA_REQUESTS: readonly RequestRow[] = [
  {
    usage: 'changes <collection>',
    about:
      'List the schema changes of a collection of a service, newest first. One of the kind edit took effect without a ' +
      'switch: the file of the schema was changed, or the configuration names another one.',
    example: 'accession schema changes laboratory',
    method: 'GET',
    path: '/-/{collection}/switches',
    print: {
      columns: ['id', 'time', 'kind', 'by', 'records', 'undoes', 'state', 'schema'],
      row: ({ to, ...change }) => ({ ...change, schema: (to as { address: string }).address }),
    },
  },
  {
    usage: 'undo <collection> <id>',
    about:
      'Undo a schema change of a service: the former schema, and the records as they were. Requires an admin token, and ' +
      'records that have not changed since.',
    example: 'accession schema undo laboratory 01JF3Z5K8M',
    arguments: { id: 'the id of the change' },
    method: 'POST',
    path: '/-/{collection}/switches/{id}/undo',
    print: {
      text: ({ records, to }) =>
        `The former schema is in force again, from ${(to as { address: string }).address}; ` +
        `${counted(records as number, 'record')} restored.`,
    },
  },
];

/** Adds a command for each row. */
export function addRequests(parent: Command, rows: readonly RequestRow[]): void {
  for (const row of rows) addRequest(parent, row);
}

function addRequest(parent: Command, row: RequestRow): void {
  const [name = '', ...args] = row.usage.split(' ');
  const command = onService(parent, name, row.about, row.example) as unknown as CommandUnknownOpts;
  const names = args.map((arg) => arg.replace(/\W/g, ''));
  for (const [index, arg] of args.entries()) {
    const about = row.arguments?.[names[index] as string] ?? 'a collection of the service';
    const argument = command.createArgument(arg, typeof about === 'string' ? about : 'the new state');
    command.addArgument(typeof about === 'string' ? argument : argument.choices(about));
  }
  const options = (row.options ?? []).map(({ flags, about, as, read }) => {
    const option = command.createOption(flags, about);
    command.addOption(read === undefined ? option : option.argParser(read as (text: string) => unknown));
    return [as ?? option.name().replaceAll('-', '_'), option.attributeName()] as const;
  });
  if (typeof row.print !== 'object' || !('done' in row.print)) command.option('--json', 'print JSON');
  command.action(
    runs(async () => {
      const { request } = await import('./request.ts');
      return (...given: unknown[]) => {
        const { url, json, ...chosen } = given[names.length] as Values & To;
        const values = [
          ...names.map((one, index) => [one, given[index]] as const),
          ...options.map(([one, attribute]) => [one, chosen[attribute]] as const),
        ];
        return request(row, Object.fromEntries(values.filter(([, value]) => value !== undefined)), {
          url,
          json,
        });
      };
    }) as never,
  );
}

const GIB = 1024 ** 3;

/** What an operator looks for: what is wrong, or close to it. */
function statusText(answer: object): string {
  const { version, writable, disk, last_backup, collections, projections, jobs } = answer as Status;
  const lines = [
    `release      ${version}`,
    `writable     ${writable === true ? 'yes' : `no: ${writable}`}`,
    ...(disk
      ? [
          `disk         ${(disk.free_bytes / GIB).toFixed(1)} of ${(disk.size_bytes / GIB).toFixed(1)} GiB free`,
        ]
      : []),
    `last backup  ${last_backup?.time ?? 'none'}`,
    ...collections.map(({ name, available, records = 0, zones = 0 }) =>
      available
        ? `collection   ${name}: ${counted(records, 'record')}, ${counted(zones, 'zone')}`
        : `collection   ${name}: not available`,
    ),
    ...collections.flatMap(({ name, schema, schema_changed: change }) => {
      const edited = change?.kind === 'edit' ? `, edited without a switch, ${change.time}` : '';
      return schema === undefined ? [] : [`schema       ${name}: ${schema}${edited}`];
    }),
    ...collections.flatMap(({ faults }) =>
      faults.map(({ path, message }) => `fault        ${path}: ${message}`),
    ),
    ...projections
      .filter(({ behind }) => behind > 0)
      .map(
        ({ name, collection = '', behind }) =>
          `behind       ${name} ${collection}: ${counted(behind, 'change')}`,
      ),
    ...jobs
      .filter(({ state }) => state === 'failed')
      .map(({ name, error = '' }) => `failed       ${name}: ${error}`),
  ];
  return lines.join('\n');
}
